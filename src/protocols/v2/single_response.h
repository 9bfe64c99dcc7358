#pragma once

#include <cstddef>

#include "serving/core/request/infer_response.h"

namespace inferd::v2 {

// Selects the only response of a unary call from a request's responses. If a model sends it before a final one without
// outputs, the parameters of the two are joined. If the first is a failure, it is selected, whatever follows. Not
// thread-safe.
class SingleResponse {
 public:
  // Takes the next response. Returns true if it was the final one.
  bool Add(core::InferResponse&& response);

  // True if several responses had content, which the call cannot return.
  bool many() const { return count_ > 1; }
  // Returns the number of responses with content, and 1 for a request whose only response is empty.
  size_t count() const { return count_; }
  // Returns the first of them.
  core::InferResponse& response() { return response_; }
  const core::InferResponse& response() const { return response_; }

 private:
  core::InferResponse response_;
  size_t count_ = 0;
};

}  // namespace inferd::v2
