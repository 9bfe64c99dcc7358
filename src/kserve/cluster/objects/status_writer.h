#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/kubernetes/coordination/event_recorder.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// The condition of objects that were decided with another configuration than the current inferenceservice-config.
inline constexpr const char* kConfigNotice = "ConfigCurrent";

// Writes changed statuses of objects, and events about objects. Thread-safe; calls block.
class StatusWriter final {
 public:
  // All references must outlive the writer.
  StatusWriter(kubernetes::Client& client, const base::Clock& clock, metrics::Registry& metrics);

  // Writes the status if it changed, and returns true if it did. `live` is the object that the status was computed
  // from. A conflict means that the object has changed meanwhile; the caller must reconcile it again.
  kubernetes::ApiResult<bool> Write(const kubernetes::Resource& resource, const manifest::Value& live,
                                    const manifest::Value& status, const std::stop_token& stop);

  // Reports that no decision is made about an object. It adds a condition to the existing status, which does not affect
  // Ready, and records an event if the condition is new.
  kubernetes::ApiResult<bool> WriteNotice(const kubernetes::Resource& resource, const manifest::Value& live,
                                          const std::string& type, const model::ObservedCondition& notice,
                                          const std::stop_token& stop);

  // Records an event about the object. An event that cannot be written is dropped, because events are not a reliable
  // record.
  void Record(const manifest::Value& object, const std::string& type, const std::string& reason,
              const std::string& message, const std::stop_token& stop);

  // Returns the current time in the format of conditions: "2026-11-26T18:00:00Z", without fractions of a second.
  std::string Now() const;

 private:
  kubernetes::Client& client_;
  const base::Clock& clock_;
  const std::shared_ptr<metrics::Counter> written_;
  base::Mutex mutex_;  // serializes events
  kubernetes::EventRecorder events_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
