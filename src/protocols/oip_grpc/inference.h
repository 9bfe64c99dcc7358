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

// What unary and streamed inference have in common. Pure; runs on any thread.

namespace inferd::oip_grpc {

// What a request says about how its responses are to be written.
struct ResponseForm {
  Contents contents = Contents::kRaw;  // parameter `typed_contents`
  bool empty_final_response = false;   // parameter `triton_enable_empty_final_response`
  v2::OutputForms outputs;
  std::shared_ptr<v2::RegionTensors> regions;  // null: the request names none
};

// A ModelInferRequest, ready to be dispatched but for what the call says (times, trace, cancel flag).
struct PreparedRequest {
  std::unique_ptr<core::InferRequest> request;
  ResponseForm form;
};

// Decodes a message and takes the parameters that have a meaning here out of the request. Errors: those of
// ReadInferRequest, v2::TakeKnownParameters, v2::ReadOutputForms, v2::RegionTensors and v2::AddForwardedHeaders;
// RESOURCE_EXHAUSTED where memory does not suffice.
base::Result<PreparedRequest> PrepareRequest(const base::BufferSlice& message, const rpc::Forwarded& forwarded,
                                             const Environment& environment);

// Whether that is work for the pool: what has to be read element by element is that big.
bool PreparingIsBig(const base::BufferSlice& message, const Options& options);

using ResponseWriter = base::Result<net::grpc::Message> (*)(core::InferResponse, Contents);

// Classes in place of the outputs asked for as such, and then the message. `response` is a success.
// FAILED_PRECONDITION: a region of the client's shared memory was not there all the time.
base::Result<net::grpc::Message> EncodeResponse(ResponseWriter write, core::InferResponse&& response,
                                                const ResponseForm& form, const core::ModelSignature& signature);

// Whether that is work for the pool.
bool EncodingIsBig(const core::InferResponse& response, const ResponseForm& form, const Options& options);

}  // namespace inferd::oip_grpc
