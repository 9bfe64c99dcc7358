#pragma once

#include <cstdint>
#include <memory>

#include "protocols/rpc/infer_call.h"
#include "protocols/tfs/measured_inference.h"
#include "protocols/tfs_grpc/codec/model_spec_reader.h"
#include "protocols/tfs_grpc/service.h"

namespace inferd::tfs_grpc {

// One inference call. Its ModelSpec is read before its tensors, since the model determines how they are read. Counted
// under TensorFlow Serving's names, and logged if it is sampled.
class ModelCall : public rpc::InferCall {
 public:
  ModelCall(std::shared_ptr<const Environment> environment, tfs::Api api, net::grpc::CallContext&& context,
            net::grpc::Responder responder);

 protected:
  const Options& service_options() const { return environment_->options; }
  tfs::Api api() const { return api_; }

  // Finds the version that answers. Errors are FindModel()'s.
  base::Status PinModel(RequestedModel model);
  // Sets everything in a request except its tensors. `signature` is its signature index. It was read from `message`.
  base::Status Complete(uint32_t signature, const base::BufferSlice& message, core::InferRequest& request);
  // Logs the response, if the call is to be logged.
  base::Result<net::grpc::Message> Logged(base::Result<net::grpc::Message> answer);

 private:
  core::VersionName Meant() const override { return model_.spec.Name(); }
  base::Status NotOneResponse() const override;
  void OnInfer(const core::InferRequest& request) override;
  void OnFinal() override;
  void OnEnd(base::StatusCode code) override;

  const std::shared_ptr<const Environment> environment_;
  const tfs::Api api_;
  tfs::MeasuredInference measured_;
  RequestedModel model_;
  base::BufferSlice logged_request_;  // empty if it is not to be logged
};

}  // namespace inferd::tfs_grpc
