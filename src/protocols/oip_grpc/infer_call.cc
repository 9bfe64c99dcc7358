#include "protocols/oip_grpc/infer_call.h"

#include <string>
#include <string_view>
#include <utility>

namespace inferd::oip_grpc {

namespace {

constexpr std::string_view kDecoupled = "ModelInfer RPC doesn't support models with decoupled transaction policy";

}  // namespace

InferCall::InferCall(std::shared_ptr<const Environment> environment, net::grpc::CallContext&& context,
                     net::grpc::Responder responder)
    : rpc::InferCall(rpc::SurroundingsOf(*environment), std::move(context), std::move(responder)),
      environment_(std::move(environment)) {}

bool InferCall::ReadingIsBig(const base::BufferSlice& message) const {
  return oip_grpc::PreparingIsBig(message, environment_->options);
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::Read(const base::BufferSlice& message) {
  INFERD_ASSIGN_OR_RETURN(PreparedRequest prepared, PrepareRequest(message, forwarded(), *environment_));
  form_ = std::move(prepared.form);
  return std::move(prepared.request);
}

void InferCall::Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion) {
  if (environment_->options.triton_exact && pinned()->signature().decoupled) {
    return completion.Fail(base::Unimplemented(std::string(kDecoupled)));
  }
  rpc::InferCall::Execute(std::move(request), std::move(completion));
}

bool InferCall::EncodingIsBig(const core::InferResponse& response) const {
  return oip_grpc::EncodingIsBig(response, form_, environment_->options);
}

base::Result<net::grpc::Message> InferCall::Encode(core::InferResponse&& response) {
  return EncodeResponse(WriteInferResponse, std::move(response), form_, pinned()->signature());
}

void InferCall::OnEnd(base::StatusCode code) {
  static_cast<void>(code);
  if (form_.regions != nullptr) form_.regions->End();
}

base::Status InferCall::NotOneResponse() const {
  if (environment_->options.triton_exact) {
    return base::Internal("expected a single response, got " + std::to_string(response_count()));
  }
  return base::Unimplemented(std::string(kDecoupled));
}

}  // namespace inferd::oip_grpc
