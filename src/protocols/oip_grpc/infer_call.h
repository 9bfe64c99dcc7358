#pragma once

#include <memory>

#include "protocols/oip_grpc/inference.h"
#include "protocols/oip_grpc/service.h"
#include "protocols/rpc/infer_call.h"

namespace inferd::oip_grpc {

// One ModelInfer call.
class InferCall final : public rpc::InferCall {
 public:
  InferCall(std::shared_ptr<const Environment> environment, net::grpc::CallContext&& context,
            net::grpc::Responder responder);

 private:
  bool ReadingIsBig(const base::BufferSlice& message) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Read(const base::BufferSlice& message) override;
  // Refuses a model that may give any number of responses in the place of Triton, which does so before it executes.
  void Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion) override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::grpc::Message> Encode(core::InferResponse&& response) override;
  base::Status NotOneResponse() const override;
  void OnEnd(base::StatusCode code) override;

  const std::shared_ptr<const Environment> environment_;
  ResponseForm form_;
};

}  // namespace inferd::oip_grpc
