#pragma once

#include <cstddef>

#include "serving/core/request/infer_response.h"

namespace inferd::v2 {

// The one response that a unary call has room for, out of those that a request has. A model that sends it ahead of a
// final one without outputs is served as well: the parameters of the two are joined. If the first is a failure, it is
// the one, whatever follows. Not thread-safe.
class SingleResponse {
 public:
  // Takes the next response. True: it was the final one.
  bool Add(core::InferResponse&& response);

  // More than one response carried something: the call has no room for them.
  bool many() const { return count_ > 1; }
  // The first of them.
  core::InferResponse& response() { return response_; }
  const core::InferResponse& response() const { return response_; }

 private:
  core::InferResponse response_;
  size_t count_ = 0;
};

}  // namespace inferd::v2
