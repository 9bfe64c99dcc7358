#pragma once

#include <string_view>

#include "base/status.h"
#include "net/grpc/responder.h"
#include "protocols/tfs/model_spec.h"
#include "serving/core/request/infer_response.h"

namespace inferd::tfs_grpc {

// Returns the bytes of a tensorflow.serving.PredictResponse. Outputs are in the field of their type or, with
// `tensor_content`, in that; strings are always in string_val. Floats and tensor_content are pieces of the message,
// without a copy. `response` is a success. INTERNAL if an output's bytes do not fit its shape. Pure; runs on any
// thread.
base::Result<net::grpc::Message> WritePredictResponse(core::InferResponse response, bool tensor_content,
                                                      std::string_view signature = tfs::kServingDefault);

// Does the same for a tensorflow.serving.SessionRunResponse. Its tensors look like a map's entries on the wire, in the
// order of the outputs. Its ModelSpec has no signature.
base::Result<net::grpc::Message> WriteSessionRunResponse(core::InferResponse response, bool tensor_content);

// Returns how many bytes of the outputs are encoded element by element.
size_t BytesToEncode(const core::InferResponse& response, bool tensor_content);

}  // namespace inferd::tfs_grpc
