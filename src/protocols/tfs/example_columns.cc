#include "protocols/tfs/example_columns.h"

#include <string>
#include <utility>

namespace inferd::tfs {

ExampleColumns::ExampleColumns(const core::ModelSignature& signature) : signature_(signature) {
  if (TakesSerialized(signature)) serialized_.emplace();
  for (const core::TensorSpec& input : signature.inputs) {
    examples_.emplace_back(input);
    context_.emplace_back(input);
  }
}

void ExampleColumns::CountExample() {
  ++count_;
  if (serialized_) serialized_->CountExample();
}

base::Status ExampleColumns::Add(Part part, std::string_view name, const Feature& feature) {
  if (serialized_) {
    part == Part::kExample ? serialized_->AddToExample(name, feature) : serialized_->AddToContext(name, feature);
    return {};
  }
  const int input = signature_.FindInput(name);
  if (input < 0) return {};
  return (part == Part::kExample ? examples_ : context_)[static_cast<size_t>(input)].Add(feature);
}

base::Status ExampleColumns::Take(uint64_t bytes_max, core::InferRequest& request) {
  if (serialized_) {
    INFERD_ASSIGN_OR_RETURN(core::InferTensor tensor, serialized_->Take(signature_.inputs.front().name, bytes_max));
    request.inputs.push_back(std::move(tensor));
    return {};
  }
  for (size_t i = 0; i < signature_.inputs.size(); ++i) {
    FeatureColumn& column = context_[i].rows() > 0 ? context_[i] : examples_[i];
    if (context_[i].rows() > 0) {
      if (examples_[i].rows() > 0) {
        return base::InvalidArgument("Feature: " + signature_.inputs[i].name + " is in the context and in examples");
      }
      INFERD_RETURN_IF_ERROR(column.Repeat(count_, bytes_max));
      bytes_max -= column.bytes();
    }
    if (column.rows() == 0 && signature_.inputs[i].optional) continue;
    if (column.rows() != count_) return column.Add(Feature());  // fails with "required but could not be found"
    INFERD_ASSIGN_OR_RETURN(core::InferTensor tensor, column.Take());
    request.inputs.push_back(std::move(tensor));
  }
  return {};
}

}  // namespace inferd::tfs
