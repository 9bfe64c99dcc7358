#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/status.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"

namespace inferd::tfs_grpc {

// Reads the tensorflow.serving.Input in field 2 of `message` (a ClassificationRequest, RegressionRequest or
// MultiInferenceRequest) without the generated classes: each input of the model is the feature of its name of one
// example after the other, or of the context for all of them; other features are ignored. A feature fills a row of its
// input in order.
//
// A model whose only input is strings called `inputs` or `examples` takes the examples whole: each is the bytes of a
// tensorflow.Example, those of the context in front.
//
// INVALID_ARGUMENT: no protobuf; no examples; tfs::ExampleColumns's errors. RESOURCE_EXHAUSTED: the context for every
// example is more than `context_bytes_max`. Pure; any thread.
base::Result<std::unique_ptr<core::InferRequest>> ReadExamples(std::string_view message,
                                                               const core::ModelSignature& signature,
                                                               uint64_t context_bytes_max);

}  // namespace inferd::tfs_grpc
