// tensorflow_call MODEL_REPOSITORY [MODEL]: measures the cost of one TF_SessionRun of MODEL, or of half_plus_two and of
// mean224, in microseconds of CPU. The session has the server's options. This is the floor that the server's own cost
// is compared with.

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "bench/engine_call/bare_graph.h"
#include "bench/engine_call/cpu_cost.h"
#include "bench/engine_call/require.h"
#include "engines/tensorflow/tf.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program
using bench::Require;

void Print(const std::string& repository, const char* model, const char* output, std::vector<int64_t> shape) {
  bench::BareGraph graph(repository + "/" + model + "/1/model.savedmodel", output, std::move(shape));
  const double in_a_loop = bench::CpuOfCall([&] { graph.Call(); });
  std::printf("%-16s %15.2f %13.2f\n", model, in_a_loop, bench::CpuOfLoneCall([&] { graph.Call(); }));
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2 || argc == 3, "usage: tensorflow_call MODEL_REPOSITORY [MODEL]");
  tensorflow::PrepareTf();
  const base::Status opened = tensorflow::OpenTf();
  Require(opened.ok(), opened.ToString());
  std::printf("CPU us per call    TF_SessionRun   each 100 us\n");
  const std::string only = argc == 3 ? argv[2] : "";
  const auto print = [&](const char* model, const char* output, std::vector<int64_t> shape) {
    if (only.empty() || only == model) Print(argv[1], model, output, std::move(shape));
  };
  print("half_plus_two", "StatefulPartitionedCall", {3});
  print("mean224", "PartitionedCall", {1, 224, 224, 3});  // it has no state
  return 0;
}
