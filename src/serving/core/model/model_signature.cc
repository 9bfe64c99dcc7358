#include "serving/core/model/model_signature.h"

namespace inferd::core {

namespace {

int Find(const std::vector<TensorSpec>& specs, std::string_view name) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

const tensor::Shape& ShownShape(const TensorSpec& spec) {
  static const tensor::Shape any = {-1};
  return spec.unknown_rank ? any : spec.shape;
}

int ModelSignature::FindInput(std::string_view tensor_name) const { return Find(inputs, tensor_name); }
int ModelSignature::FindOutput(std::string_view tensor_name) const { return Find(outputs, tensor_name); }

ModelSignature ModelSignature::Shown() const {
  ModelSignature shown = *this;
  std::erase_if(shown.inputs, [](const TensorSpec& spec) { return spec.alternative; });
  std::erase_if(shown.outputs, [](const TensorSpec& spec) { return spec.alternative; });
  return shown;
}

}  // namespace inferd::core
