// tensorflow_floor PORT SAVED_MODEL OUTPUT_OPERATOR ELEMENTS: an HTTP floor that calls TensorFlow's bare C API
// (CallingHandler). Each request runs the model once, with a vector of ELEMENTS floats.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "bench/engine_call/bare_graph.h"
#include "bench/engine_call/require.h"
#include "bench/floor/gathering_handler.h"

using namespace inferd;  // NOLINT(google-build-using-namespace): a program of one file

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: tensorflow_floor PORT SAVED_MODEL OUTPUT_OPERATOR ELEMENTS\n");
    return 2;
  }
  tensorflow::PrepareTf();
  const base::Status opened = tensorflow::OpenTf();
  bench::Require(opened.ok(), opened.ToString());
  return bench::ServeFloor(argv[1], 0, [&](net::Loop&) {
    return std::make_unique<bench::CallingHandler<bench::BareGraph>>(argv[2], argv[3],
                                                                     std::vector<int64_t>{std::atoll(argv[4])});
  });
}
