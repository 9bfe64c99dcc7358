#pragma once

#include <cstdint>

#include "protocols/tfs_grpc/model_call.h"

namespace inferd::tfs_grpc {

// One Predict call.
class PredictCall final : public ModelCall {
 public:
  using ModelCall::ModelCall;

 private:
  base::Status Begin(const base::BufferSlice& message) override;
  bool ReadingIsBig(const base::BufferSlice& message) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Read(const base::BufferSlice& message) override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  base::Result<net::grpc::Message> Encode(core::InferResponse&& response) override;

  const core::ModelSignature& signature() const { return *pinned()->signatures()[signature_]; }

  uint32_t signature_ = 0;  // index in the model's signatures
};

}  // namespace inferd::tfs_grpc
