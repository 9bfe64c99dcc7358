#include "protocols/trtis_grpc/infer_call.h"

#include <boost/container/small_vector.hpp>
#include <utility>

#include "protocols/trtis/answer.h"
#include "protocols/trtis/infer_message.h"
#include "protocols/trtis/model_version.h"
#include "protocols/trtis/own_requests.h"

namespace inferd::trtis_grpc {

InferCall::InferCall(std::shared_ptr<const Environment> environment, net::grpc::CallContext&& context,
                     net::grpc::Responder responder)
    : rpc::InferCall(rpc::SurroundingsOf(*environment), std::move(context), std::move(responder)),
      environment_(std::move(environment)) {}

// The tensors are not copied, so everything is read at once.
base::Status InferCall::Begin(const base::BufferSlice& message) {
  INFERD_RETURN_IF_ERROR(
      trtis::CheckInferring(*environment_->options.state, environment_->catalog, environment_->draining));
  INFERD_ASSIGN_OR_RETURN(trtis::InferMessage read, trtis::ReadInferMessage(message));
  INFERD_RETURN_IF_ERROR(trtis::CheckBatchSize(read.header));
  batch_size_ = read.header.batch_size;
  if (id_ == 0) id_ = environment_->options.state->NextRequestId();
  model_ = std::move(read.model);
  version_ = std::move(read.version);
  call().SetModel(model_, version_);
  if (pinned() == nullptr) {
    INFERD_ASSIGN_OR_RETURN(auto found, trtis::FindModel(dispatcher(), environment_->catalog, model_, version_));
    Pin(std::move(found));
  }
  INFERD_ASSIGN_OR_RETURN(auto planned, trtis::PlanRequest(std::move(read.header), pinned()->signature(), model_));
  INFERD_RETURN_IF_ERROR(trtis::SetRaws(read.raws, *planned.request));
  request_ = std::move(planned.request);
  plan_ = std::move(planned.plan);
  return {};
}

base::Result<std::unique_ptr<core::InferRequest>> InferCall::Read(const base::BufferSlice&) {
  request_->model_version = version_;
  INFERD_RETURN_IF_ERROR(rpc::AddForwarded(forwarded(), options(), *request_));
  return std::move(request_);
}

base::Status InferCall::NotOneResponse() const {
  return base::Unimplemented("the model gave more than one response, which this protocol cannot carry");
}

// Finding classes examines every element.
bool InferCall::EncodingIsBig(const core::InferResponse& response) const {
  size_t ranked = 0;
  for (size_t i = 0; i < plan_.outputs.size() && i < response.outputs.size(); ++i) {
    if (plan_.outputs[i].classes) ranked += response.outputs[i].data.size();
  }
  return ranked >= options().offload_bytes;
}

base::Result<net::grpc::Message> InferCall::Encode(core::InferResponse&& response) {
  INFERD_ASSIGN_OR_RETURN(const trtis::Answer answer,
                          trtis::MakeAnswer(response, plan_, pinned()->signature(), pinned()->version()));
  boost::container::small_vector<base::BufferSlice, 2> raws;
  for (size_t i = 0; i < answer.outputs.size(); ++i) {
    raws.push_back(answer.outputs[i].raw ? std::move(response.outputs[i].data) : base::BufferSlice());
  }
  return trtis::WriteInferAnswer({.server_id = environment_->options.state->server_id(), .request_id = id_}, answer,
                                 raws);
}

void InferCall::OnEnd(base::StatusCode code) {
  if (code == base::StatusCode::kOk || dispatched_ || pinned() == nullptr) return;
  pinned()->CountRefused(environment_->clock.NowNs() - received_ns(), batch_size_);
}

std::optional<net::grpc::Message> InferCall::AnswerTo(const base::Status& failure) {
  return trtis::WriteStatusAnswer({.code = trtis::CodeOf(failure.code()),
                                   .message = failure.message(),
                                   .server_id = environment_->options.state->server_id(),
                                   .request_id = id_});
}

}  // namespace inferd::trtis_grpc
