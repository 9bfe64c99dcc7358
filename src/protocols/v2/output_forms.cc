#include "protocols/v2/output_forms.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace inferd::v2 {

base::Result<OutputForms> ReadOutputForms(const core::InferRequest& request, bool binary_default) {
  OutputForms forms;
  forms.default_form.binary = binary_default;
  // Most requests have no settings, and all outputs have the default form.
  if (std::ranges::all_of(request.outputs, [](const auto& output) { return output.parameters.empty(); })) return forms;
  forms.forms.reserve(request.outputs.size());
  for (const core::RequestedOutput& output : request.outputs) {
    INFERD_ASSIGN_OR_RETURN(const OutputSettings form, ReadOutputSettings(output, binary_default));
    forms.forms.push_back(form);
  }
  if (std::ranges::adjacent_find(forms.forms, std::not_equal_to()) == forms.forms.end()) return forms;
  std::vector<std::string> names;
  for (const core::RequestedOutput& output : request.outputs) names.push_back(output.name);
  forms.names = std::make_shared<const std::vector<std::string>>(std::move(names));
  return forms;
}

const OutputForms& FormsFor(const core::InferResponse& response, const OutputForms& forms,
                            std::optional<OutputForms>& own) {
  if (forms.forms.size() <= response.outputs.size()) return forms;
  own = OutputForms{
      .default_form = forms.default_form, .forms = {}, .names = nullptr, .class_values = forms.class_values};
  for (const core::InferTensor& output : response.outputs) {
    size_t name = 0;
    if (forms.names != nullptr) {
      const auto found = std::ranges::find(*forms.names, output.name);
      if (found != forms.names->end()) name = static_cast<size_t>(found - forms.names->begin());
    }
    own->forms.push_back(forms.forms[name]);
  }
  return *own;
}

base::Status ClassifyOutputs(core::InferResponse& response, const OutputForms& requested,
                             const core::ModelSignature& signature) {
  if (requested.forms.empty()) return {};
  std::optional<OutputForms> own;
  const OutputForms& forms = FormsFor(response, requested, own);
  if (forms.forms.size() != response.outputs.size()) {
    return base::Internal("expected " + std::to_string(forms.forms.size()) + " outputs, got " +
                          std::to_string(response.outputs.size()));
  }
  for (size_t i = 0; i < response.outputs.size(); ++i) {
    const uint32_t classes = forms.forms[i].classes;
    if (classes == 0) continue;
    core::InferTensor& output = response.outputs[i];
    const int index = signature.FindOutput(output.name);
    const core::TensorSpec no_labels;
    const core::TensorSpec& spec = index < 0 ? no_labels : signature.outputs[static_cast<size_t>(index)];
    INFERD_ASSIGN_OR_RETURN(output, Classify(output, spec, signature.max_batch_size > 0, classes, forms.class_values));
  }
  return {};
}

}  // namespace inferd::v2
