#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "protocols/rpc/infer_call.h"
#include "protocols/trtis/infer_request.h"
#include "protocols/trtis_grpc/service.h"

namespace inferd::trtis_grpc {

// One Infer call.
class InferCall final : public rpc::InferCall {
 public:
  InferCall(std::shared_ptr<const Environment> environment, net::grpc::CallContext&& context,
            net::grpc::Responder responder);

 private:
  bool ReadingIsBig(const base::BufferSlice&) const override { return false; }  // nothing is decoded
  base::Status Begin(const base::BufferSlice& message) override;
  core::VersionName Meant() const override { return {.model = model_, .version = version_}; }
  base::Result<std::unique_ptr<core::InferRequest>> Read(const base::BufferSlice& message) override;
  base::Status NotOneResponse() const override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::grpc::Message> Encode(core::InferResponse&& response) override;
  std::optional<net::grpc::Message> AnswerTo(const base::Status& failure) override;
  void OnInfer(const core::InferRequest&) override { dispatched_ = true; }
  void OnEnd(base::StatusCode code) override;

  const std::shared_ptr<const Environment> environment_;
  std::string model_;
  std::string version_;
  uint64_t id_ = 0;  // 0 until it is known
  uint32_t batch_size_ = 0;
  bool dispatched_ = false;  // counted in the model's statistics
  std::unique_ptr<core::InferRequest> request_;
  trtis::AnswerPlan plan_;
};

}  // namespace inferd::trtis_grpc
