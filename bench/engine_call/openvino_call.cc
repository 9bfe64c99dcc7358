// openvino_call FILE NAME: what one row costs in a model that OpenVINO reads, in microseconds of CPU, with the
// properties that the server compiles it with. A dimension of any size is 1. The floor that the server's own cost is
// measured against.

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
