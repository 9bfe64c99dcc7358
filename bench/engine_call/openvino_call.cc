// openvino_call FILE NAME: what one row costs in a model that OpenVINO reads, in microseconds of CPU, with the
// properties that the server compiles it with. A dimension of any size is 1. The floor that the server's own cost is
// measured against.

#include <cstdio>
#include <openvino/openvino.hpp>
#include <vector>

#include "bench/engine_call/cpu_cost.h"
#include "bench/engine_call/require.h"
#include "engines/openvino/compile_settings.h"

namespace {

using namespace inferd;  // NOLINT(google-build-using-namespace): a program

// As a program of its own would: tensors over existing memory, the library's memory for outputs.
class BareModel final {
 public:
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
    for (size_t i = 0; i < outputs_; ++i) bench::Require(request_.get_output_tensor(i).data() != nullptr, "no output");
  }

 private:
  ov::Core core_;
  ov::InferRequest request_;
  std::vector<ov::Tensor> inputs_;
  size_t outputs_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  bench::Require(argc == 3, "usage: openvino_call FILE NAME");
  BareModel bare(argv[1]);
  const double in_a_loop = bench::CpuOfCall([&] { bare.Call(); });
  std::printf("CPU us per row      in a loop   each 100 us\n");
  std::printf("%s %15.2f %13.2f\n", argv[2], in_a_loop, bench::CpuOfLoneCall([&] { bare.Call(); }));
  return 0;
}
