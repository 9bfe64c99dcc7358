#include "kserve/local/objects/event_recorder.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "data/manifest/value_path.h"

namespace inferd::local {

namespace {

using manifest::Text;
using manifest::TextAt;
using manifest::Value;

const apiserver::ResourceType& Events() {
  static const apiserver::ResourceType& kType = *apiserver::FindKind("v1", "Event");
  return kType;
}

// Returns the same name for the same text about the same object.
std::string NameOf(const Value& object, std::string_view reason, std::string_view message) {
  const std::string all =
      TextAt(object, {"metadata", "uid"}) + "\n" + std::string(reason) + "\n" + std::string(message);
  char text[24];
  std::snprintf(text, sizeof(text), ".%016zx", std::hash<std::string>()(all));
  return TextAt(object, {"metadata", "name"}) + text;
}

}  // namespace

EventRecorder::EventRecorder(apiserver::Registry& registry) : registry_(registry) {
  auto listed = registry_.store().List(Events().resource(), "").objects;
  std::ranges::sort(listed, {}, [](const apiserver::ObjectPtr& object) { return object->revision; });
  const base::MutexLock lock(mutex_);
  for (const apiserver::ObjectPtr& object : listed) events_.push_back(object->key);
}

void EventRecorder::Record(const Value& object, std::string_view type, std::string_view reason,
                           std::string_view message) {
  const std::string namespace_name = TextAt(object, {"metadata", "namespace"});
  const std::string name = NameOf(object, reason, message);
  const std::string now = registry_.Now();
  const apiserver::WriteOptions options = {.manager = "inferd-controller", .internal = true};
  const auto again = registry_.Change(
      Events(), namespace_name, name,
      [&](const Value& live) -> apiserver::ApiResult<Value> {
        Value event = live;
        event.Set("count", Value::Int(1 + std::atoll(TextAt(live, {"count"}).c_str())));
        event.Set("lastTimestamp", Text(now));
        return event;
      },
      options);
  if (again.has_value()) return;
  Value event = Value::Map();
  event.MapAt("metadata").Set("name", Text(name));
  event.Set("involvedObject", Value::Map({{"kind", Text(TextAt(object, {"kind"}))},
                                          {"namespace", Text(namespace_name)},
                                          {"name", Text(TextAt(object, {"metadata", "name"}))},
                                          {"uid", Text(TextAt(object, {"metadata", "uid"}))},
                                          {"apiVersion", Text(TextAt(object, {"apiVersion"}))},
                                          {"resourceVersion", Text(TextAt(object, {"metadata", "resourceVersion"}))}}));
  event.Set("reason", Text(reason));
  event.Set("message", Text(message));
  event.Set("source", Value::Map({{"component", Text("v1beta1Controllers")}}));
  event.Set("firstTimestamp", Text(now));
  event.Set("lastTimestamp", Text(now));
  event.Set("count", Value::Int(1));
  event.Set("type", Text(type));
  if (!registry_.Create(Events(), namespace_name, std::move(event), options).has_value()) return;
  Note(apiserver::Registry::KeyOf(Events(), namespace_name, name));
}

void EventRecorder::Note(apiserver::ObjectKey key) {
  std::vector<apiserver::ObjectKey> old;
  {
    const base::MutexLock lock(mutex_);
    events_.push_back(std::move(key));
    for (; events_.size() > kEventsMax; events_.pop_front()) old.push_back(std::move(events_.front()));
  }
  for (const apiserver::ObjectKey& each : old) {
    bool gone = false;
    static_cast<void>(registry_.Delete(Events(), each.namespace_name, each.name, {}, gone));
  }
}

}  // namespace inferd::local
