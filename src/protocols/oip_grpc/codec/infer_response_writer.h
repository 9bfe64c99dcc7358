#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "net/grpc/responder.h"
#include "serving/core/request/infer_response.h"

namespace inferd::oip_grpc {

// How output tensors travel: as raw_output_contents, or each in the field of its `contents` that its datatype names.
enum class Contents : uint8_t { kRaw, kTyped };

// The bytes of an inference.ModelInferResponse. Raw tensors are pieces of the message and are not copied; typed ones
// are encoded from the tensor. FP16 and BF16 have no typed form: a response that holds one is raw throughout.
// `response` is a success. INTERNAL: an output's bytes do not fit its shape; only kTyped looks. Pure; runs on any
// thread.
base::Result<net::grpc::Message> WriteInferResponse(core::InferResponse response, Contents contents);

// The same as `infer_response` of an inference.ModelStreamInferResponse.
base::Result<net::grpc::Message> WriteStreamResponse(core::InferResponse response, Contents contents);

// A ModelStreamInferResponse that says why the request `id` failed; without an id, `error_message` alone.
net::grpc::Message WriteStreamError(std::string_view id, std::string_view error,
                                    const core::Parameters& parameters = {});

}  // namespace inferd::oip_grpc
