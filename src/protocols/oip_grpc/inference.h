#pragma once

#include <cstddef>
#include <memory>

#include "base/buffer.h"
#include "base/status.h"
#include "net/grpc/responder.h"
#include "protocols/oip_grpc/codec/infer_response_writer.h"
#include "protocols/oip_grpc/service.h"
#include "protocols/rpc/inference.h"
#include "protocols/v2/output_forms.h"
#include "protocols/v2/region_tensors.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

// Common functions of unary and streamed inference. Pure; runs on any thread.

namespace inferd::oip_grpc {

// A request's settings for the form of its responses.
struct ResponseForm {
  Contents contents = Contents::kRaw;  // parameter `typed_contents`
  bool empty_final_response = false;   // parameter `triton_enable_empty_final_response`
  v2::OutputForms outputs;
  std::shared_ptr<v2::RegionTensors> regions;  // null if the request names none
};

// A ModelInferRequest that is ready to be dispatched, except for the facts of the call (times, trace, cancel flag).
struct PreparedRequest {
  std::unique_ptr<core::InferRequest> request;
  ResponseForm form;
};

// Decodes a message and removes the parameters that have a meaning here from the request. Errors are those of
// ReadInferRequest(), v2::TakeKnownParameters(), v2::ReadOutputForms(), v2::RegionTensors and
// v2::AddForwardedHeaders(). RESOURCE_EXHAUSTED if memory is short.
base::Result<PreparedRequest> PrepareRequest(const base::BufferSlice& message, const rpc::Forwarded& forwarded,
                                             const Environment& environment);

// Returns true if the request should be prepared on the pool, since many bytes must be read element by element.
bool PreparingIsBig(const base::BufferSlice& message, const Options& options);

using ResponseWriter = base::Result<net::grpc::Message> (*)(core::InferResponse, Contents);

// Replaces outputs by classes if requested, and encodes the message. `response` is a success. FAILED_PRECONDITION if a
// region of the client's shared memory was missing at any time.
base::Result<net::grpc::Message> EncodeResponse(ResponseWriter write, core::InferResponse&& response,
                                                const ResponseForm& form, const core::ModelSignature& signature);

// Returns true if the response should be encoded on the pool.
bool EncodingIsBig(const core::InferResponse& response, const ResponseForm& form, const Options& options);

}  // namespace inferd::oip_grpc
