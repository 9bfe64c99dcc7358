#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "data/manifest/value.h"
#include "kserve/apiserver/objects/registry.h"
#include "kserve/apiserver/store/stored_object.h"

namespace inferd::local {

// Writes events about objects (Kubernetes: v1 Event). A repeated event increments the existing event's count. The
// oldest events are deleted beyond kEventsMax. Thread-safe, except for the same event at the same time. The registry
// must outlive it.
class EventRecorder final {
 public:
  static constexpr size_t kEventsMax = 1'000;

  explicit EventRecorder(apiserver::Registry& registry);

  // Records an event. `type` is "Normal" or "Warning".
  void Record(const manifest::Value& object, std::string_view type, std::string_view reason, std::string_view message);

 private:
  void Note(apiserver::ObjectKey key);

  apiserver::Registry& registry_;
  base::Mutex mutex_;
  std::deque<apiserver::ObjectKey> events_ GUARDED_BY(mutex_);  // the oldest first
};

}  // namespace inferd::local
