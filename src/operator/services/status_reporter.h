#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "controlplane/api/inference_service.h"
#include "controlplane/api/inference_service_config.h"
#include "controlplane/status/service_state.h"
#include "kubernetes/client/client.h"
#include "kubernetes/coordination/event_recorder.h"
#include "metrics/registry.h"

namespace inferd::operators {

// Says of InferenceServices what has become of them: their status, where it has changed, and events. Thread-safe; calls
// block.
class StatusReporter final {
 public:
  // All outlive it.
  StatusReporter(kubernetes::Client& client, const base::Clock& clock, metrics::Registry& metrics);

  // `service`: with its defaults; its document is the live one but for them. A conflict: it has changed meanwhile, and
  // is looked at again. Whether something was written.
  kubernetes::ApiResult<bool> Report(const manifest::Value& live, const controlplane::InferenceService& service,
                                     const controlplane::ServiceState& state,
                                     const controlplane::InferenceServiceConfig& config, const std::stop_token& stop);

  // An event about it. What cannot be written is dropped: events are no record.
  void Record(const manifest::Value& object, const std::string& type, const std::string& reason,
              const std::string& message, const std::stop_token& stop);

 private:
  void RecordChange(const manifest::Value& object, const manifest::Value* before, const manifest::Value& status,
                    const controlplane::ServiceState& state, const std::stop_token& stop);

  kubernetes::Client& client_;
  const base::Clock& clock_;
  const std::shared_ptr<metrics::Counter> written_;
  base::Mutex mutex_;  // one event after the other
  kubernetes::EventRecorder events_ GUARDED_BY(mutex_);
};

}  // namespace inferd::operators
