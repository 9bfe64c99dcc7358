#pragma once

#include <memory>
#include <string_view>

#include "base/status.h"
#include "protocols/v1/body_members.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::v1 {

// A body of :predict, taken apart. `request` lacks what the path and the head say (model, times, cancel flag).
struct DecodedPredict {
  std::unique_ptr<core::InferRequest> request;
  bool row = false;  // a list of instances, under whatever name; else values by input
};

// Reads {"signature_name": .., "instances": [..]} (row format: the list's elements are one another's batch) or
// {"inputs": ..} (columnar) straight into tensors of the types that `signature` says. Members may come in any order;
// unknown ones are skipped, as strictly as the others are read. `signature` is the one that the body chooses
// (ChosenSignature), or else the body's choice is an error.
//
// In KServe's dialect a list of "inputs" is one of instances too, an unknown name in an object of "inputs" is an error,
// and a model without inputs is asked for nothing, without a body or with one.
//
// Errors are INVALID_ARGUMENT in the dialect's words, or else TensorFlow Serving's, those of the JSON before those of
// its members before those of their contents; RESOURCE_EXHAUSTED if there is no memory. Shapes are the model's to
// check. Pure; any thread.
base::Result<DecodedPredict> ReadPredict(std::string_view body, const core::ModelSignature& signature,
                                         const BodyRules& rules = {});

// The errors of a body that no model is asked for: whether it is a JSON object.
base::Status CheckBody(std::string_view body, const BodyRules& rules = {});

}  // namespace inferd::v1
