#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "apiserver/objects/registry.h"
#include "manifest/value.h"
#include "objectstore/stored_object.h"

namespace inferd::controller {

// Writes events about objects (Kubernetes: v1 Event). One that comes again raises the count of the one that there is;
// the oldest ones go when there are too many. Not thread-safe; the registry outlives it.
class EventRecorder final {
 public:
  static constexpr size_t kEventsMax = 1'000;

  explicit EventRecorder(apiserver::Registry& registry);

  // `type`: "Normal", "Warning".
  void Record(const manifest::Value& object, std::string_view type, std::string_view reason, std::string_view message);

 private:
  apiserver::Registry& registry_;
  std::deque<objectstore::ObjectKey> events_;  // the oldest first
};

}  // namespace inferd::controller
