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

// Waits for that time. Returns false if `stop` was requested.
using Pause = std::function<bool(std::chrono::milliseconds, const std::stop_token& stop)>;

struct SenderOptions {
  double requests_per_second = 20;
  int burst = 30;
  storage::RetryPolicy retry{.attempts = 5};
  std::chrono::seconds retry_after_max{60};      // upper limit of the server's Retry-After
  std::chrono::milliseconds time_limit{60'000};  // per attempt
  size_t answer_bytes_max = 64 << 20;
  std::string user_agent = "inferd";
  Pause pause = storage::PauseFor;  // tests replace it
};

// Sends requests at a limited rate, and retries them. It always retries if the server was too busy to start (429, or
// any answer with Retry-After). If there was no answer, or a server error (5xx), it retries all requests but POST: an
// object whose answer was lost would exist already at the second attempt, and only the caller can recognize that.
// Thread-safe.
class Sender final {
 public:
  // The clock must outlive the sender.
  Sender(ClusterAccess access, SenderOptions options, const base::Clock& clock);

  // Returns the body of a successful answer. Blocks. Returns Transport's errors, or RESOURCE_EXHAUSTED if the answer is
  // too large.
  ApiResult<std::string> Send(ApiRequest request, const std::stop_token& stop);
  // Sends the request once, and passes the body to the sink as it arrives.
  ApiResult<void> Stream(const ApiRequest& request, const Transport::Sink& sink, const std::stop_token& stop);

  // Waits before a retry of the caller. Returns false if `stop` was requested.
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
