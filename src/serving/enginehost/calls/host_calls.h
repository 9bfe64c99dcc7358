#pragma once

#include <atomic>
#include <memory>
#include <unordered_map>

#include "base/mutex.h"
#include "base/status.h"
#include "inferd/engine_abi.h"
#include "serving/core/calls/server_calls.h"

namespace inferd::enginehost {

// Implements the requests that engines make to the server through the ABI: model calls, model control and metrics.
// Lives as long as the process. Thread-safe.
class HostCalls final {
 public:
  static constexpr size_t kCallsMax = 65'536;    // in flight at a time
  static constexpr size_t kMetricsMax = 65'536;  // open at a time

  // Sets the server. Without one, calls answer UNAVAILABLE. It must outlive all executions. Null removes it.
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
  std::unordered_map<uint64_t, std::shared_ptr<core::ModelCall>> calls_ GUARDED_BY(mutex_);  // null while a call begins
  std::unordered_map<uint64_t, std::shared_ptr<core::CustomMetric>> metrics_ GUARDED_BY(mutex_);
};

}  // namespace inferd::enginehost
