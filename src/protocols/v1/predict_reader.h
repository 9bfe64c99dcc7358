#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "protocols/v1/body_members.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::v1 {

// A decoded body of :predict. `request` lacks the facts of the path and the head (model, times, cancel flag).
struct DecodedPredict {
  std::unique_ptr<core::InferRequest> request;
  bool row = false;  // a list of instances, under any name; else values by input
};

// Reads {"signature_name": .., "instances": [..]} (row format: the list's elements form a batch) or {"inputs": ..}
// (columnar) directly into tensors of the types in `signature`. Members may come in any order; unknown ones are
// skipped, but checked as strictly as others. `signature` must be the one that the body chooses (ChosenSignature());
// otherwise the body's choice is an error.
//
// In KServe's dialect a list of "inputs" is a list of instances too, an unknown name in an object of "inputs" is an
// error, and a model without inputs is called with or without a body.
//
// Errors are INVALID_ARGUMENT in the dialect's words, or else TensorFlow Serving's. Errors of the JSON come before
// those of its members, and these before those of their contents. RESOURCE_EXHAUSTED if there is no memory. The model
// checks the shapes. Pure; any thread.
base::Result<DecodedPredict> ReadPredict(std::string_view body, const core::ModelSignature& signature,
                                         const BodyRules& rules = {});

// Returns the errors of a body for which no model is called: it must be a JSON object.
base::Status CheckBody(std::string_view body, const BodyRules& rules = {});

}  // namespace inferd::v1
