#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs_grpc {

// Reads the tensorflow.serving.Input in field 2 of `message` (a ClassificationRequest, RegressionRequest or
// MultiInferenceRequest) without the generated classes. Each input of the model is the feature of its name in each
// example, or in the context for all of them; other features are ignored. A feature fills a row of its input in order.
// input in order.
// A model whose only input is strings called `inputs` or `examples` gets the whole examples: each is the bytes of a
// tensorflow.Example, preceded by those of the context.
// tensorflow.Example, those of the context in front.
//
// INVALID_ARGUMENT for malformed protobuf, no examples, and errors of tfs::ExampleColumns. RESOURCE_EXHAUSTED if the
// context for every example exceeds `context_bytes_max`. Pure; any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadExamples(std::string_view message,
                                                               const core::ModelSignature& signature,
                                                               uint64_t context_bytes_max);

}  // namespace inferd::tfs_grpc
