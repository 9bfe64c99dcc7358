#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "protocols/v1/body_members.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs_http {

struct ExampleLimits {
  v1::BodyRules body = {};
  uint64_t tensor_bytes_max = uint64_t{1} << 30;  // of the context's features, repeated for every example
};

// Reads a body of :classify or :regress, {"signature_name": .., "context": {..}, "examples": [{..}, ..]}. Each input of
// the model is the feature of its name in each example, or in the context for all of them; other features are ignored.
// A feature is a value or a flat list of values, which fills a row of its input in order.
//
// Errors are those of ReadPredict() and, naming the feature, of ReadFeature() and tfs::FeatureColumn. Pure; any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadExamples(std::string_view body,
                                                               const core::ModelSignature& signature,
                                                               const ExampleLimits& limits);

}  // namespace inferd::tfs_http
