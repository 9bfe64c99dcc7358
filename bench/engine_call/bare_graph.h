#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/engine_call/require.h"
#include "engines/tensorflow/session_settings.h"
#include "engines/tensorflow/tf.h"

namespace inferd::bench {

using tensorflow::Tf;

// A SavedModel, called through TensorFlow's C API alone, as a C program would call it. The input tensor uses existing
// memory, and the library allocates the output. Any failure ends the program. Used by one thread at a time.
class BareGraph final {
 public:
  // Loads a model with the FP32 input x, whose FP32 output is the result of the operator `output`.
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

}  // namespace inferd::bench
