#pragma once

#include <memory>
#include <openvino/openvino.hpp>
#include <vector>

#include "bench/engine_call/require.h"
#include "engines/openvino/compile_settings.h"

namespace inferd::bench {

// A model, called through OpenVINO alone, as a C++ program would call it. It is compiled with the server's properties.
// Input tensors use existing memory, and the library allocates outputs. A failure throws or ends the program. Used by
// one thread at a time.
class BareModel final {
 public:
  // Sets each dimension of variable size to 1.
  explicit BareModel(const char* file) {
    const std::shared_ptr<ov::Model> model = core_.read_model(file);
    ov::AnyMap properties;
    for (const auto& [name, value] : openvino::CompileSettings{}.PropertiesFor(1)) properties[name] = value;
    request_ = core_.compile_model(model, "CPU", properties).create_infer_request();
    for (const auto& input : model->inputs()) {
      ov::Shape shape;
      for (const ov::Dimension& size : input.get_partial_shape())
        shape.push_back(size.is_static() ? size.get_length() : 1);
      inputs_.emplace_back(input.get_element_type(), shape);
    }
    outputs_ = model->outputs().size();
  }

  void Call() {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      request_.set_input_tensor(i, {inputs_[i].get_element_type(), inputs_[i].get_shape(), inputs_[i].data()});
    }
    request_.infer();
    for (size_t i = 0; i < outputs_; ++i) Require(request_.get_output_tensor(i).data() != nullptr, "no output");
  }

 private:
  ov::Core core_;
  ov::InferRequest request_;
  std::vector<ov::Tensor> inputs_;
  size_t outputs_ = 0;
};

}  // namespace inferd::bench
