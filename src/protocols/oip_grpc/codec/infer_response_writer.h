#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "net/grpc/responder.h"
#include "serving/core/request/infer_response.h"

namespace inferd::oip_grpc {

// The form of output tensors: raw_output_contents, or the field of `contents` that belongs to the datatype.
enum class Contents : uint8_t { kRaw, kTyped };

// Returns the bytes of an inference.ModelInferResponse. Raw tensors are pieces of the message, without a copy; typed
// ones are encoded from the tensor. FP16 and BF16 have no typed form: a response with one is raw throughout. `response`
// is a success. INTERNAL, for kTyped only, if an output's bytes do not fit its shape. Pure; runs on any thread.
base::Result<net::grpc::Message> WriteInferResponse(core::InferResponse response, Contents contents);

// Does the same as `infer_response` of an inference.ModelStreamInferResponse.
base::Result<net::grpc::Message> WriteStreamResponse(core::InferResponse response, Contents contents);

// Returns a ModelStreamInferResponse for the failed request `id`; without an id it only has `error_message`.
net::grpc::Message WriteStreamError(std::string_view id, std::string_view error,
                                    const core::Parameters& parameters = {});

}  // namespace inferd::oip_grpc
