#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "serving/core/request/infer_response.h"

namespace inferd::cache {

// A stored response, in memory of its own: it does not keep an execution's buffers, which are shared with others.
// Responses that are made from it share its bytes. Immutable, thread-safe.
class CachedResponse final {
 public:
  // Copies a response, which must be OK. Null if its bytes are not in memory of the CPU. Throws std::bad_alloc.
  static std::shared_ptr<const CachedResponse> CopyOf(const core::InferResponse& response);

  // Returns a final response. QueuedRequest::Answer fills in model, version and id.
  core::InferResponse Answer() const;
  const std::vector<core::InferTensor>& outputs() const { return outputs_; }
  const core::Parameters& parameters() const { return parameters_; }
  // Returns the bytes of memory that it uses.
  size_t bytes() const { return bytes_; }

 private:
  CachedResponse() = default;

  std::vector<core::InferTensor> outputs_;
  core::Parameters parameters_;
  size_t bytes_ = 0;
};

}  // namespace inferd::cache
