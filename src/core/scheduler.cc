#include "core/scheduler.h"

#include <string>

#include "core/model_version.h"

namespace inferd::core {

base::Status QueuedRequest::Validate() {
  const auto signatures = version->signatures();
  if (request->signature >= signatures.size()) {
    return base::InvalidArgument("model '" + version->id().name + "' has no signature " +
                                 std::to_string(request->signature));
  }
  return ValidateRequest(*request, version->id().name, *signatures[request->signature], &layout);
}

void QueuedRequest::Answer(InferResponse&& response) {
  response.model_name = request->model_name;
  if (version != nullptr) response.model_version = version->version();
  response.id = request->id;
  if (response.final) {
    slot.Release();
  }
  completion.Send(std::move(response));
}

void QueuedRequest::Fail(base::Status status, int64_t retry_after_ms) {
  InferResponse response;
  response.status = std::move(status);
  response.retry_after_ms = retry_after_ms;
  Answer(std::move(response));
}

}  // namespace inferd::core
