// tensorflow_call MODEL_REPOSITORY [MODEL]: what one TF_SessionRun of half_plus_two and of mean224, or of the one that
// is named, costs, in microseconds of CPU, with the session options that the server gives it. The floor that the
// server's own cost is measured against.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "bench/engine_call/cpu_cost.h"
#include "bench/engine_call/require.h"
#include "engines/tensorflow/session_settings.h"
#include "engines/tensorflow/tf.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program
using bench::Require;
using tensorflow::Tf;

// As a C program would: the tensor over existing memory, the library allocates the output.
class BareGraph final {
 public:
  // A model from x to what the operator `output` has, of FP32.
  BareGraph(const std::string& folder, const char* output, std::vector<int64_t> shape)
      : shape_(std::move(shape)), data_(CountElements(shape_), 1.0f) {
    const tensorflow::SessionOptionsOwner options(Tf().NewSessionOptions());
    const std::string config = tensorflow::SessionSettings{}.ConfigProto(1);
    Tf().SetConfig(options.get(), config.data(), config.size(), status_.get());
    Check();
    const char* tag = "serve";
    session_.reset(Tf().LoadSessionFromSavedModel(options.get(), nullptr, folder.c_str(), &tag, 1, graph_.get(),
                                                  nullptr, status_.get()));
    Check();
    input_ = Operator("serving_default_x");
    output_ = Operator(output);
  }

  void Call() {
    const tensorflow::TensorOwner in(Tf().NewTensor(
        TF_FLOAT, shape_.data(), static_cast<int>(shape_.size()), data_.data(), data_.size() * sizeof(float),
        [](void*, size_t, void*) {}, nullptr));
    TF_Tensor* const value = in.get();
    TF_Tensor* fetched = nullptr;
    Tf().SessionRun(session_.get(), nullptr, &input_, &value, 1, &output_, &fetched, 1, nullptr, 0, nullptr,
                    status_.get());
    Check();
    Tf().DeleteTensor(fetched);
  }

 private:
  void Check() const {
    const base::Status status = status_.Take();
    Require(status.ok(), status.ToString());
  }

  static size_t CountElements(const std::vector<int64_t>& shape) {
    size_t count = 1;
    for (const int64_t size : shape) count *= static_cast<size_t>(size);
    return count;
  }

  TF_Output Operator(const char* name) {
    TF_Operation* const found = Tf().GraphOperationByName(graph_.get(), name);
    Require(found != nullptr, std::string("no operator ") + name);
    return {found, 0};
  }

  tensorflow::TfStatus status_;
  tensorflow::GraphOwner graph_{Tf().NewGraph()};
  tensorflow::SessionOwner session_;
  TF_Output input_{}, output_{};
  const std::vector<int64_t> shape_;
  std::vector<float> data_;
};

void Print(const std::string& repository, const char* model, const char* output, std::vector<int64_t> shape) {
  BareGraph graph(repository + "/" + model + "/1/model.savedmodel", output, std::move(shape));
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
