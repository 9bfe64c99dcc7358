#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "serving/core/request/infer_response.h"

namespace inferd::cache {

// What a request was answered with, in memory of its own: the buffers of an execution, which others share, are not
// kept. Answers that are made of it share its bytes. Immutable, thread-safe.
class CachedResponse final {
 public:
  // A copy of a response that is OK. Null: its bytes are not in memory of the CPU. Throws std::bad_alloc.
  static std::shared_ptr<const CachedResponse> CopyOf(const core::InferResponse& response);

  // A final response; model, version and id are for QueuedRequest::Answer.
  core::InferResponse Answer() const;
  const std::vector<core::InferTensor>& outputs() const { return outputs_; }
  const core::Parameters& parameters() const { return parameters_; }
  // Bytes of memory.
  size_t bytes() const { return bytes_; }

 private:
  CachedResponse() = default;

  std::vector<core::InferTensor> outputs_;
  core::Parameters parameters_;
  size_t bytes_ = 0;
};

}  // namespace inferd::cache
