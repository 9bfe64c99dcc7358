#include "protocols/tfs_grpc/model_call.h"

#include <string>
#include <utility>

namespace inferd::tfs_grpc {

ModelCall::ModelCall(std::shared_ptr<const Environment> environment, tfs::Api api, net::grpc::CallContext&& context,
                     net::grpc::Responder responder)
    : rpc::InferCall(rpc::SurroundingsOf(*environment), std::move(context), std::move(responder)),
      environment_(std::move(environment)),
      api_(api),
      measured_(api, received_ns()) {}

base::Status ModelCall::PinModel(RequestedModel model) {
  if (pinned() != nullptr) return {};
  model_ = std::move(model);
  call().SetModel(model_.spec.model, model_.spec.version);
  INFERD_ASSIGN_OR_RETURN(auto pinned, FindModel(dispatcher(), model_, service_options().unready));
  Pin(std::move(pinned));
  return {};
}

base::Status ModelCall::Complete(uint32_t signature, const base::BufferSlice& message, core::InferRequest& request) {
  if (tfs::RequestLog* const log = environment_->request_log; log != nullptr && log->Draw(model_.spec.model)) {
    logged_request_ = message;
  }
  request.model_name = model_.spec.model;
  request.model_version = model_.spec.version;
  request.signature = signature;
  return rpc::AddForwarded(forwarded(), options(), request);
}

base::Result<net::grpc::Message> ModelCall::Logged(base::Result<net::grpc::Message> answer) {
  if (logged_request_.empty() || !answer.has_value()) return answer;
  size_t bytes = logged_request_.size();
  for (const base::BufferSlice& piece : *answer) bytes += piece.size();
  environment_->request_log->Write({.api = api_,
                                    .model = model_.spec.model,
                                    .version = pinned()->version(),
                                    .signature = model_.signature,
                                    .bytes = bytes,
                                    .make_messages = [request = std::move(logged_request_), response = *answer] {
                                      tfs::LoggedCall::Messages messages{.request = std::string(request.view()),
                                                                         .response = {}};
                                      for (const base::BufferSlice& piece : response) messages.response += piece.view();
                                      return messages;
                                    }});
  return answer;
}

void ModelCall::OnInfer(const core::InferRequest& request) {
  measured_.OnDispatch(request, environment_->clock.NowNs());
}

void ModelCall::OnFinal() { measured_.OnFinal(environment_->clock.NowNs()); }

base::Status ModelCall::NotOneResponse() const {
  return base::Unimplemented("the model gave more than one response, which " + std::string(tfs::ApiName(api_)) +
                             " cannot carry");
}

void ModelCall::OnEnd(base::StatusCode code) {
  if (pinned() == nullptr) return;
  measured_.Count(*environment_->metrics, model_.spec.model, code, environment_->clock.NowNs());
}

}  // namespace inferd::tfs_grpc
