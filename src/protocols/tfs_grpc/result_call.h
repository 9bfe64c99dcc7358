#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "protocols/tfs_grpc/model_call.h"
#include "protocols/tfs_grpc/result_task.h"

namespace inferd::tfs_grpc {

// One Classify, Regress or MultiInference call. The tasks of MultiInference share their examples. Each signature is
// called separately, in parallel, with its own inputs from the examples: TensorFlow 2 saves each signature with input
// tensors of its own.
class ResultCall final : public ModelCall {
 public:
  using ModelCall::ModelCall;

 private:
  base::Status Begin(const base::BufferSlice& message) override;
  bool ReadingIsBig(const base::BufferSlice& message) const override;
  base::Result<std::unique_ptr<core::InferRequest>> Read(const base::BufferSlice& message) override;
  bool EncodingIsBig(const core::InferResponse& response) const override;
  void Execute(std::unique_ptr<core::InferRequest> request, core::Completion completion) override;
  base::Result<net::grpc::Message> Encode(core::InferResponse&& response) override;

  // Reads the examples as the task's signature takes them.
  base::Result<std::unique_ptr<core::InferRequest>> ReadFor(const ResultTask& task,
                                                            const base::BufferSlice& message) const;
  // Converts an error of reading them, or of CheckResult(), according to Options::exact.
  base::Status Worded(const ResultTask& task, base::Status failure) const;

  std::vector<ResultTask> tasks_;
  // The inputs of all tasks but the first; null if they equal the first's.
  std::vector<std::unique_ptr<core::InferRequest>> others_;
  std::optional<int64_t> examples_;             // absent if unknown
  std::vector<core::InferResponse> responses_;  // to all tasks but the first
};

}  // namespace inferd::tfs_grpc
