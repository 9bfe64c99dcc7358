#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "protocols/v2/classification.h"
#include "protocols/v2/parameters.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

namespace inferd::v2 {

// How the outputs of one response are to be written.
struct OutputForms {
  OutputSettings default_form;        // of every output, where `forms` is empty
  std::vector<OutputSettings> forms;  // else one per requested output
  ClassValues class_values = ClassValues::kShortest;

  const OutputSettings& of(size_t output) const { return output < forms.size() ? forms[output] : default_form; }
};

// What the requested outputs say about their form (ReadOutputSettings, whose errors it has).
base::Result<OutputForms> ReadOutputForms(const core::InferRequest& request, bool binary_default);

// Puts classes in place of the outputs that are asked for as such (Classify). INTERNAL: the response has another number
// of outputs than were requested.
base::Status ClassifyOutputs(core::InferResponse& response, const OutputForms& forms,
                             const core::ModelSignature& signature);

}  // namespace inferd::v2
