// tensorflow_call MODEL_REPOSITORY: what one TF_SessionRun of half_plus_two costs, in microseconds of CPU, with the
// session options that the server gives it. The floor that the server's own cost is measured against.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "bench/engine_call/cpu_cost.h"
#include "bench/engine_call/require.h"
#include "engines/tensorflow/session_settings.h"
#include "engines/tensorflow/tf.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program
using bench::Require;
using tensorflow::Tf;

constexpr int64_t kShape[] = {3};

// As a C program would: the tensor over existing memory, the library allocates the output.
class BareGraph final {
 public:
  explicit BareGraph(const std::string& folder) {
    const tensorflow::SessionOptionsOwner options(Tf().NewSessionOptions());
    const std::string config = tensorflow::SessionSettings{}.ConfigProto(1);
    Tf().SetConfig(options.get(), config.data(), config.size(), status_.get());
    Check();
    const char* tag = "serve";
    session_.reset(Tf().LoadSessionFromSavedModel(options.get(), nullptr, folder.c_str(), &tag, 1, graph_.get(),
                                                  nullptr, status_.get()));
    Check();
    input_ = Operator("serving_default_x");
    output_ = Operator("StatefulPartitionedCall");
  }

  void Call() {
    const tensorflow::TensorOwner in(
        Tf().NewTensor(TF_FLOAT, kShape, 1, data_.data(), sizeof data_, [](void*, size_t, void*) {}, nullptr));
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

  TF_Output Operator(const char* name) {
    TF_Operation* const found = Tf().GraphOperationByName(graph_.get(), name);
    Require(found != nullptr, std::string("no operator ") + name);
    return {found, 0};
  }

  tensorflow::TfStatus status_;
  tensorflow::GraphOwner graph_{Tf().NewGraph()};
  tensorflow::SessionOwner session_;
  TF_Output input_{}, output_{};
  std::array<float, 3> data_ = {1.0f, 2.0f, 5.0f};
};

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2, "usage: tensorflow_call MODEL_REPOSITORY");
  tensorflow::PrepareTf();
  const base::Status opened = tensorflow::OpenTf();
  Require(opened.ok(), opened.ToString());
  BareGraph graph(std::string(argv[1]) + "/half_plus_two/1/model.savedmodel");
  std::printf("CPU us per call    TF_SessionRun   each 100 us\n");
  const double in_a_loop = bench::CpuOfCall([&] { graph.Call(); });
  std::printf("%-16s %15.2f %13.2f\n", "half_plus_two", in_a_loop, bench::CpuOfLoneCall([&] { graph.Call(); }));
  return 0;
}
