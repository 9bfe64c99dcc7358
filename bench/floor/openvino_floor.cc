// openvino_floor PORT FILE: an HTTP floor that calls bare OpenVINO (CallingHandler). Each request runs the model once.
// Each dimension of variable size is 1.

#include <cstdio>
#include <memory>

#include "bench/engine_call/bare_model.h"
#include "bench/floor/gathering_handler.h"

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: openvino_floor PORT FILE\n");
    return 2;
  }
  return bench::ServeFloor(
      argv[1], 0, [&](net::Loop&) { return std::make_unique<bench::CallingHandler<bench::BareModel>>(argv[2]); });
}
