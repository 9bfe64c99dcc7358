#include "frontends/tfs_grpc/model_call.h"

#include <string>
#include <utility>

namespace inferd::tfs_grpc {

ModelCall::ModelCall(std::shared_ptr<const Environment> environment, tfs::Api api, net::grpc::CallContext&& context,
                     base::BufferSlice message, net::grpc::Responder responder)
    : rpc::InferCall(rpc::SurroundingsOf(*environment), std::move(context), std::move(message), std::move(responder)),
      environment_(std::move(environment)),
      api_(api) {}

base::Status ModelCall::PinModel(RequestedModel model, base::Status (*unknown_signature)(const std::string& name)) {
  model_ = std::move(model);
  call().SetModel(model_.spec.model, model_.spec.version);
  INFERD_ASSIGN_OR_RETURN(auto pinned, FindModel(dispatcher(), model_));
  Pin(std::move(pinned));
  return IsServed(model_.signature) ? base::OkStatus() : unknown_signature(model_.signature);
}

base::Status ModelCall::Complete(core::InferRequest& request) const {
  request.model_name = model_.spec.model;
  request.model_version = model_.spec.version;
  return rpc::AddForwarded(forwarded(), options(), request);
}

base::Status ModelCall::TooManyResponses() const {
  return base::Unimplemented("the model gave more than one response, which " + std::string(tfs::ApiName(api_)) +
                             " cannot carry");
}

void ModelCall::OnEnd(base::StatusCode code) {
  if (pinned() == nullptr) return;
  environment_->metrics->Count(model_.spec.model, api_, code, environment_->clock.NowNs() - received_ns());
}

}  // namespace inferd::tfs_grpc
