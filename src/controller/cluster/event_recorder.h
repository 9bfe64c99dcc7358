#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "apiserver/objects/registry.h"
#include "base/mutex.h"
#include "manifest/value.h"
#include "objectstore/stored_object.h"

namespace inferd::controller {

// Writes events about objects (Kubernetes: v1 Event). One that comes again raises the count of the one that there is;
// the oldest ones go when there are too many. Thread-safe, but for the same event at the same time; the registry
// outlives it.
class EventRecorder final {
 public:
  static constexpr size_t kEventsMax = 1'000;

  explicit EventRecorder(apiserver::Registry& registry);

  // `type`: "Normal", "Warning".
  void Record(const manifest::Value& object, std::string_view type, std::string_view reason, std::string_view message);

 private:
  void Note(objectstore::ObjectKey key);

  apiserver::Registry& registry_;
  base::Mutex mutex_;
  std::deque<objectstore::ObjectKey> events_ GUARDED_BY(mutex_);  // the oldest first
};

}  // namespace inferd::controller
