#pragma once

#include <memory>

#include "frontends/tfs_grpc/model_call.h"
#include "frontends/tfs_grpc/result_task.h"

namespace inferd::tfs_grpc {

// One Classify, Regress or MultiInference call.
class ResultCall final : public ModelCall {
 public:
  using ModelCall::ModelCall;

 private:
  base::Status Begin(const base::BufferSlice& message) override;
  bool PreparingIsBig(const base::BufferSlice& message) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Prepare(const base::BufferSlice& message) override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::grpc::Message> Encode(core::InferResponse&& response) override;

  Result result_ = Result::kClassification;
};

}  // namespace inferd::tfs_grpc
