#pragma once

#include <string_view>

#include "base/status.h"
#include "net/grpc/responder.h"
#include "protocols/tfs/model_spec.h"
#include "serving/core/request/infer_response.h"

namespace inferd::tfs_grpc {

// The bytes of a tensorflow.serving.PredictResponse. Outputs stand in the field of their type, or, with
// `tensor_content`, as that; strings stand in string_val either way. Floats and tensor_content are pieces of the
// message and are not copied. `response` is a success. INTERNAL: an output's bytes do not fit its shape. Pure; runs on
// any thread.
base::Result<net::grpc::Message> WritePredictResponse(core::InferResponse response, bool tensor_content,
                                                      std::string_view signature = tfs::kServingDefault);

// The same of a tensorflow.serving.SessionRunResponse, whose tensors stand on the wire as the entries of a map do, in
// the order of the outputs; its ModelSpec names no signature.
base::Result<net::grpc::Message> WriteSessionRunResponse(core::InferResponse response, bool tensor_content);

// How many bytes of the outputs are encoded element by element.
size_t BytesToEncode(const core::InferResponse& response, bool tensor_content);

}  // namespace inferd::tfs_grpc
