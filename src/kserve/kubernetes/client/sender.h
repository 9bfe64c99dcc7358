#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "kserve/kubernetes/api/api_error.h"
#include "kserve/kubernetes/client/request_pacer.h"
#include "kserve/kubernetes/client/transport.h"
#include "storage/transfer/backoff.h"

namespace inferd::kubernetes {

// Waits that long; false: `stop` was requested before.
using Pause = std::function<bool(std::chrono::milliseconds, const std::stop_token& stop)>;

struct SenderOptions {
  double requests_per_second = 20;
  int burst = 30;
  storage::RetryPolicy retry{.attempts = 5};
  std::chrono::seconds retry_after_max{60};      // of what the server asks for
  std::chrono::milliseconds time_limit{60'000};  // of one try
  size_t answer_bytes_max = 64 << 20;
  std::string user_agent = "inferd";
  Pause pause = storage::PauseFor;  // tests do not wait
};

// Sends requests in their turn, and again where that is of use: always when the server was too busy to begin (429, or
// any answer with Retry-After), and, but for those that create something, when there was no answer or an error of the
// server (5xx). What was created although its answer was lost would be "there already" at another try, which its caller
// can tell apart and this class cannot. Thread-safe.
class Sender final {
 public:
  // The clock outlives it.
  Sender(ClusterAccess access, SenderOptions options, const base::Clock& clock);

  // The body of a success. Blocks. Errors are Transport's; RESOURCE_EXHAUSTED: the answer is too large.
  ApiResult<std::string> Send(ApiRequest request, const std::stop_token& stop);
  // Once, the body as it comes.
  ApiResult<void> Stream(const ApiRequest& request, const Transport::Sink& sink, const std::stop_token& stop);

  // For callers that try again themselves. False: `stop` was requested before.
  bool PauseBehind(int attempt, const storage::RetryPolicy& policy, const std::stop_token& stop) const {
    return options_.pause(storage::PauseBehind(attempt, policy), stop);
  }

  const ClusterAccess& access() const { return transport_.access(); }

 private:
  bool AwaitTurn(const std::stop_token& stop);
  ApiResult<std::string> SendOnce(const ApiRequest& request, const std::stop_token& stop);

  const SenderOptions options_;
  const base::Clock& clock_;
  RequestPacer pacer_;
  Transport transport_;
};

}  // namespace inferd::kubernetes
