#include "kserve/kubernetes/coordination/event_recorder.h"

#include <algorithm>
#include <utility>

#include "base/text/hex.h"
#include "base/text/utc_time.h"
#include "base/text/utf8.h"

namespace inferd::kubernetes {

namespace {

using manifest::Value;

constexpr int64_t kAllowanceNs = 300'000'000'000;
constexpr int64_t kSimilarNs = 600'000'000'000;
constexpr size_t kNameBytesMax = 253;
constexpr int kNumberDigits = 16;

// Returns the longest beginning of the text that fits and has whole characters.
std::string Cut(std::string_view text, size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  size_t size = 0;
  while (true) {
    const size_t length = base::Utf8Length(text.data() + size, text.data() + text.size());
    if (length == 0 || size + length > bytes_max) return std::string(text.substr(0, size));
    size += length;
  }
}

// Events of cluster-scoped objects are written to the namespace "default", where kubectl looks for them.
ObjectName EventName(const Value& object, int64_t wall_ns) {
  const ObjectName named = NameOf(object);
  std::string name = named.name.substr(0, kNameBytesMax - kNumberDigits - 1) + ".";
  base::AppendHex(name, static_cast<uint64_t>(wall_ns), kNumberDigits);
  return {.namespace_name = named.namespace_name.empty() ? "default" : named.namespace_name, .name = std::move(name)};
}

}  // namespace

template <typename Entry>
Entry& EventRecorder::Latest<Entry>::At(const std::string& key) {
  if (const auto found = places_.find(key); found != places_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.front().second;
  }
  entries_.emplace_front(key, Entry());
  places_[key] = entries_.begin();
  if (entries_.size() > kEventsMax) {
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }
  return entries_.front().second;
}

bool EventRecorder::IsAllowed(const std::string& object) {
  Allowance& allowance = allowances_.At(object);
  const int64_t now_ns = clock_.NowNs();
  const int64_t next_ns = std::max(allowance.next_ns, now_ns);
  if (next_ns - now_ns > (kBurst - 1) * kAllowanceNs) return false;
  allowance.next_ns = next_ns + kAllowanceNs;
  return true;
}

bool EventRecorder::IsOneOfTooMany(const std::string& kind, const std::string& message) {
  Similar& similar = similar_.At(kind);
  const int64_t now_ns = clock_.NowNs();
  if (now_ns - similar.begun_ns > kSimilarNs) similar = {.messages = {}, .begun_ns = now_ns};
  if (std::ranges::find(similar.messages, message) != similar.messages.end()) return false;
  if (similar.messages.size() >= kSimilarMax) return true;
  similar.messages.push_back(message);
  return false;
}

Value EventRecorder::MakeEvent(const Value& object, const ObjectName& name) const {
  const std::string now = base::UtcTimeText(clock_.WallNs());
  Value event = MakeObject(EventResource(), name);
  Value about = Value::Map();
  for (const char* field : {"kind", "apiVersion"}) about.Set(field, Value::String(TextAt(object, {field})));
  for (const char* field : {"namespace", "name", "uid", "resourceVersion"}) {
    about.Set(field, Value::String(TextAt(object, {"metadata", field})));
  }
  event.Set("involvedObject", std::move(about));
  event.Set("source", Value::Map({{"component", Value::String(component_)}}));
  event.Set("firstTimestamp", Value::String(now));
  event.Set("lastTimestamp", Value::String(now));
  event.Set("count", Value::Int(1));
  return event;
}

ApiResult<void> EventRecorder::Raise(Known& known, const std::stop_token& stop) {
  const Value patch = Value::Map(
      {{"count", Value::Int(known.count + 1)}, {"lastTimestamp", Value::String(base::UtcTimeText(clock_.WallNs()))}});
  auto patched = client_.Patch(EventResource(), known.name, PatchType::kMerge, patch, {}, stop);
  if (!patched.has_value()) return std::unexpected(std::move(patched).error());
  ++known.count;
  return {};
}

ApiResult<void> EventRecorder::Record(const Value& object, std::string_view type, std::string_view reason,
                                      std::string_view message, const std::stop_token& stop) {
  const std::string about = TextAt(object, {"kind"}) + "\n" + TextAt(object, {"metadata", "namespace"}) + "\n" +
                            NameOf(object).name + "\n" + UidOf(object);
  if (!IsAllowed(about)) return {};
  const std::string kind = about + "\n" + std::string(type) + "\n" + std::string(reason);
  std::string text = Cut(message, kMessageBytesMax);
  // Excess messages become one event, which has the text of the first one.
  const bool combined = IsOneOfTooMany(kind, text);
  Known& known = known_.At(combined ? kind : kind + "\n" + text);
  if (!known.name.name.empty()) {
    auto raised = Raise(known, stop);
    // The server deletes an event after an hour by default. Then a new one is created.
    if (raised.has_value() || !raised.error().is_not_found()) return raised;
    known = {};
  }
  const ObjectName name = EventName(object, clock_.WallNs());
  Value event = MakeEvent(object, name);
  event.Set("type", Value::String(std::string(type)));
  event.Set("reason", Value::String(std::string(reason)));
  event.Set("message",
            Value::String(combined ? Cut("(combined from similar events): " + text, kMessageBytesMax) : text));
  auto created = client_.Create(EventResource(), event, {}, stop);
  if (!created.has_value()) return std::unexpected(std::move(created).error());
  known = {.name = name, .count = 1};
  return {};
}

}  // namespace inferd::kubernetes
