#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "protocols/tfs/request_log.h"
#include "protocols/v1/body_members.h"
#include "serving/core/dispatcher.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"

namespace inferd::tfs_http {

// A request to be logged, kept until it is answered: for a prediction its tensors, for others the body, whose examples
// the log reads again. It shares their bytes with the call. Not thread-safe.
class LoggedRequest final {
 public:
  LoggedRequest(tfs::Api api, const v1::BodyRules& rules, const base::BufferSlice& body,
                const core::InferRequest& request);

  // Returns the call with its successful response. Call once at most.
  tfs::LoggedCall Answered(core::InferResponse&& response, std::shared_ptr<const core::PinnedModel> pinned);

 private:
  const tfs::Api api_;
  const v1::BodyRules rules_;
  const std::string model_;
  const uint32_t signature_;               // as in core::InferRequest
  base::BufferSlice body_;                 // of a request with examples
  std::vector<core::InferTensor> inputs_;  // of a prediction
};

}  // namespace inferd::tfs_http
