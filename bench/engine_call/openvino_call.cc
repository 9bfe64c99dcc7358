// openvino_call FILE NAME: measures the cost of one row in a model that OpenVINO reads, in microseconds of CPU. It is
// compiled with the server's properties, and each dimension of variable size is 1. This is the floor that the server's
// own cost is compared with.

#include <cstdio>

#include "bench/engine_call/bare_model.h"
#include "bench/engine_call/cpu_cost.h"

using namespace inferd;  // NOLINT(google-build-using-namespace): a program

int main(int argc, char** argv) {
  bench::Require(argc == 3, "usage: openvino_call FILE NAME");
  bench::BareModel bare(argv[1]);
  const double in_a_loop = bench::CpuOfCall([&] { bare.Call(); });
  std::printf("CPU us per row      in a loop   each 100 us\n");
  std::printf("%s %15.2f %13.2f\n", argv[2], in_a_loop, bench::CpuOfLoneCall([&] { bare.Call(); }));
  return 0;
}
