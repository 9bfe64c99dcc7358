#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>

#include "base/mutex.h"
#include "base/status.h"
#include "inferd/engine_abi.h"
#include "serving/core/calls/server_calls.h"

namespace inferd::enginehost {

// What an engine asks of the server, by the ABI: calls of models and their numbers, what is to be loaded, metrics.
// Lives as long as the process. Thread-safe.
class HostCalls final {
 public:
  static constexpr size_t kCallsMax = 65'536;    // under way at a time
  static constexpr size_t kMetricsMax = 65'536;  // open at a time

  // Before, and without it, nothing is called: UNAVAILABLE. Outlives all executions; null: it has gone.
  void CallWith(core::ServerCalls* server) { server_.store(server); }

  using Respond = void (*)(void* arg, const inferd_call_response* response);
  void CallModel(core::CallOrigin origin, const inferd_model_call& call, Respond respond, void* arg, uint64_t* number);
  void CancelCall(uint64_t number);
  void TakeResponse(uint64_t number);

  using Done = void (*)(void* arg, int32_t code, inferd_text message);
  void ControlModel(const inferd_model_control& control, Done done, void* arg);

  base::Result<uint64_t> OpenMetric(const inferd_metric& metric);
  base::Result<double> ChangeMetric(uint64_t number, int32_t change, double value);
  void CloseMetric(uint64_t number);

 private:
  base::Status Begin(core::CallOrigin origin, const inferd_model_call& call, Respond respond, void* arg,
                     uint64_t* number);
  std::shared_ptr<core::ModelCall> FindCall(uint64_t number);

  std::atomic<core::ServerCalls*> server_ = nullptr;
  base::Mutex mutex_;
  uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<uint64_t, std::shared_ptr<core::ModelCall>> calls_ GUARDED_BY(mutex_);  // null: it begins
  std::unordered_map<uint64_t, std::shared_ptr<core::CustomMetric>> metrics_ GUARDED_BY(mutex_);
};

}  // namespace inferd::enginehost
