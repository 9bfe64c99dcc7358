#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::core {

// One response of the N that a request has. Exactly one, the last, has `final`.
struct InferResponse {
  base::Status status = {};
  std::string model_name = {};
  std::string model_version = {};  // decimal
  std::string id = {};
  Parameters parameters = {};
  std::vector<InferTensor> outputs = {};  // in the requested order, or the model's; BYTES packed
  int64_t retry_after_ms = 0;             // > 0 with RESOURCE_EXHAUSTED: when a retry may succeed
  bool final = true;
  bool refused = false;  // only with a failure: the request was never accepted to wait or to run
  // Only with `final`: as EngineResponse::reschedule. Used between schedulers; clients never get one.
  bool reschedule = false;
};

// Called on any thread, for each response in turn. Never called after a final response, and never concurrently.
using ResponseCallback = std::move_only_function<void(InferResponse&&)>;

// A callback that always gets a final response: if it is destroyed before one, it answers INTERNAL and adds one to
// DroppedCompletions(). Move-only; not thread-safe.
class Completion {
 public:
  Completion() = default;
  explicit Completion(ResponseCallback callback) : callback_(std::move(callback)) {}
  ~Completion() { Drop(); }
  Completion(Completion&& other) noexcept : callback_(std::exchange(other.callback_, nullptr)) {}
  Completion& operator=(Completion&& other) noexcept {
    if (this != &other) {
      Drop();
      callback_ = std::exchange(other.callback_, nullptr);
    }
    return *this;
  }

  explicit operator bool() const { return static_cast<bool>(callback_); }
  void Send(InferResponse&& response);
  void Fail(base::Status status);

 private:
  void Drop();
  ResponseCallback callback_;
};

// Returns the number of completions that were destroyed without an answer since the process started. Each one is a bug
// in the server. Shown as a metric.
uint64_t DroppedCompletions();

}  // namespace inferd::core
