#include "engines/kit/tensor_signature.h"

#include <utility>

namespace inferd::kit {

void TensorSignature::Add(TensorDescription tensor, std::vector<const inferd_tensor_spec*>* list) {
  const TensorDescription& kept = tensors_.emplace_back(std::move(tensor));
  inferd_tensor_spec& spec = specs_.emplace_back();
  spec.struct_size = sizeof(spec);
  spec.name = {kept.name.data(), kept.name.size()};
  spec.datatype = kept.datatype;
  spec.shape = kept.shape.data();
  spec.rank = kept.shape.size();
  spec.optional = kept.optional ? 1 : 0;
  spec.bytes_form = kept.bytes_form;
  spec.one_piece = kept.one_piece ? 1 : 0;
  spec.alignment = kept.alignment;
  spec.memory_kinds = kept.memory_kinds;
  spec.may_be_missing = kept.may_be_missing ? 1 : 0;
  spec.unchecked = kept.unchecked ? 1 : 0;
  spec.any_shape = kept.any_shape ? 1 : 0;
  spec.unknown_rank = kept.unknown_rank ? 1 : 0;
  spec.any_datatype = kept.any_datatype ? 1 : 0;
  spec.alternative = kept.alternative;
  spec.shape_is_hint = kept.shape_is_hint ? 1 : 0;
  spec.graph_name = {kept.graph_name.data(), kept.graph_name.size()};
  spec.default_value = {kept.default_value.data(), kept.default_value.size()};
  std::vector<inferd_text>& labels = labels_.emplace_back();
  for (const std::string& label : kept.labels) labels.push_back({label.data(), label.size()});
  spec.labels = labels.data();
  spec.label_count = labels.size();
  if (!kept.dimension_names.empty() && kept.dimension_names.size() == kept.shape.size()) {
    std::vector<inferd_text>& names = dimension_names_.emplace_back();
    for (const std::string& name : kept.dimension_names) names.push_back({name.data(), name.size()});
    spec.dimension_names = names.data();
  }
  list->push_back(&spec);
}

void TensorSignature::Finish(int compute_threads, std::string name, std::string method) {
  const std::string& kept_name = names_.emplace_back(std::move(name));
  const std::string& kept_method = names_.emplace_back(std::move(method));
  inferd_signature& abi = abi_.emplace_back();
  abi.struct_size = sizeof(abi);
  abi.compute_threads = compute_threads;
  abi.inputs = inputs_.data();
  abi.input_count = inputs_.size();
  abi.outputs = outputs_.data();
  abi.output_count = outputs_.size();
  abi.name = {kept_name.data(), kept_name.size()};
  abi.method = {kept_method.data(), kept_method.size()};
}

void TensorSignature::FinishToShow(std::string name, std::string method, std::string not_served) {
  Finish(0, std::move(name), std::move(method));
  const std::string& kept = names_.emplace_back(std::move(not_served));
  abi_.back().only_shown = 1;
  abi_.back().not_served = {kept.data(), kept.size()};
}

}  // namespace inferd::kit
