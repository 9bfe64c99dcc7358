// torch_floor PORT FILE SIZE...: an HTTP floor that calls bare libtorch (CallingHandler). Each request runs a
// TorchScript model once, with one FP32 input of these sizes.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/engine_call/bare_module.h"
#include "bench/floor/gathering_handler.h"

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: torch_floor PORT FILE SIZE...\n");
    return 2;
  }
  std::vector<int64_t> shape;
  for (int i = 3; i < argc; ++i) shape.push_back(std::atoll(argv[i]));
  return bench::ServeFloor(argv[1], 0, [&](net::Loop&) {
    return std::make_unique<bench::CallingHandler<bench::BareModule>>(argv[2], shape);
  });
}
