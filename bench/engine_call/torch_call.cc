// torch_call FILE NAME SIZE...: measures the cost of one row in a TorchScript model with one FP32 input of these sizes,
// in microseconds of CPU. It is loaded as the server loads it. This is the floor that the server's own cost is compared
// with.

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bench/engine_call/bare_module.h"
#include "bench/engine_call/cpu_cost.h"

using namespace inferd;  // NOLINT(google-build-using-namespace): a program

int main(int argc, char** argv) {
  bench::Require(argc > 3, "usage: torch_call FILE NAME SIZE...");
  std::vector<int64_t> shape;
  for (int i = 3; i < argc; ++i) shape.push_back(std::atoll(argv[i]));
  bench::BareModule bare(argv[1], std::move(shape));
  const double in_a_loop = bench::CpuOfCall([&] { bare.Call(); });
  std::printf("CPU us per row      in a loop   each 100 us\n");
  std::printf("%s %15.2f %13.2f\n", argv[2], in_a_loop, bench::CpuOfLoneCall([&] { bare.Call(); }));
  return 0;
}
