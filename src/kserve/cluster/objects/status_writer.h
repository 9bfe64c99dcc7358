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

// The condition of objects that are not decided by inferenceservice-config as it stands.
inline constexpr const char* kConfigNotice = "ConfigCurrent";

// Writes statuses of objects, where they have changed, and events about them. Thread-safe; calls block.
class StatusWriter final {
 public:
  // All outlive it.
  StatusWriter(kubernetes::Client& client, const base::Clock& clock, metrics::Registry& metrics);

  // `live`: the object as it was looked at. A conflict: it has changed meanwhile, and is looked at again. Whether
  // something was written.
  kubernetes::ApiResult<bool> Write(const kubernetes::Resource& resource, const manifest::Value& live,
                                    const manifest::Value& status, const std::stop_token& stop);

  // Says of an object that nothing is decided about it: a condition that does not decide about Ready, beside what its
  // status says, and an event where that is news.
  kubernetes::ApiResult<bool> WriteNotice(const kubernetes::Resource& resource, const manifest::Value& live,
                                          const std::string& type, const model::ObservedCondition& notice,
                                          const std::stop_token& stop);

  // An event about it. What cannot be written is dropped: events are no record.
  void Record(const manifest::Value& object, const std::string& type, const std::string& reason,
              const std::string& message, const std::stop_token& stop);

  // Now, as conditions have it: "2026-11-26T18:00:00Z", without fractions.
  std::string Now() const;

 private:
  kubernetes::Client& client_;
  const base::Clock& clock_;
  const std::shared_ptr<metrics::Counter> written_;
  base::Mutex mutex_;  // one event after the other
  kubernetes::EventRecorder events_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
