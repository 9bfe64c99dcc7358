#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "protocols/v2/classification.h"
#include "protocols/v2/parameters.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

namespace inferd::v2 {

// The form of the outputs of one response.
struct OutputForms {
  OutputSettings default_form;        // for every output, if `forms` is empty
  std::vector<OutputSettings> forms;  // else one per requested output
  // The names of the requested outputs. Null if all have the same form, as nearly always, so that a request pays next
  // to nothing.
  std::shared_ptr<const std::vector<std::string>> names = nullptr;
  ClassValues class_values = ClassValues::kShortest;

  const OutputSettings& of(size_t output) const { return output < forms.size() ? forms[output] : default_form; }
};

// Reads the forms of the requested outputs. Errors are those of ReadOutputSettings().
base::Result<OutputForms> ReadOutputForms(const core::InferRequest& request, bool binary_default);

// Returns the forms of the response's outputs: `forms` or, if the model left out some requested outputs, `own`, which
// is filled with the forms of the others.
const OutputForms& FormsFor(const core::InferResponse& response, const OutputForms& forms,
                            std::optional<OutputForms>& own);

// Replaces outputs by classes if requested (Classify()). INTERNAL if the response has more outputs than were requested.
base::Status ClassifyOutputs(core::InferResponse& response, const OutputForms& requested,
                             const core::ModelSignature& signature);

}  // namespace inferd::v2
