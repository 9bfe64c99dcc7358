#include "kserve/cluster/services/pod_status.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "data/manifest/fields.h"
#include "data/manifest/value_path.h"

namespace inferd::cluster {

namespace {

using manifest::FieldAt;
using manifest::TextAt;
using manifest::Value;
using model::ProcessEnd;
using model::ReplicaState;
using model::ReplicaStatus;

constexpr size_t kMessageBytesMax = 1024;
constexpr std::array<std::string_view, 9> kFailedWaits = {
    "CrashLoopBackOff",  "ImagePullBackOff",           "ErrImagePull",
    "ErrImageNeverPull", "InvalidImageName",           "ImageInspectError",
    "RunContainerError", "CreateContainerConfigError", "CreateContainerError"};

std::string Cut(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() <= kMessageBytesMax) return text;
  // Does not cut a UTF-8 character.
  size_t size = kMessageBytesMax;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xc0) == 0x80) --size;
  return text.substr(0, size) + "...";
}

int IntAt(const Value& value, std::initializer_list<std::string_view> keys) {
  return static_cast<int>(manifest::ParseInt64(TextAt(value, keys)).value_or(0));
}

// Reads the field `terminated` of a container's state.
ProcessEnd EndOf(const std::string& container, const Value& terminated) {
  const std::string& reason = TextAt(terminated, {"reason"});
  ProcessEnd end{.exit_code = IntAt(terminated, {"exitCode"}),
                 .message = Cut(TextAt(terminated, {"message"})),
                 .out_of_memory = reason == "OOMKilled"};
  if (end.message.empty() || end.out_of_memory) {
    std::string text = "container \"" + container + "\" ended with exit code " + std::to_string(end.exit_code);
    if (!reason.empty()) text += " (" + reason + ")";
    end.message = end.message.empty() ? text : text + ": " + end.message;
  }
  return end;
}

// Adds a container's state. Returns true if the container failed.
bool ReadContainer(const Value& container, ReplicaStatus& status) {
  const std::string& name = TextAt(container, {"name"});
  status.restarts += IntAt(container, {"restartCount"});
  const Value* const last = FieldAt(container, {"lastState", "terminated"});
  if (last != nullptr) status.last_end = EndOf(name, *last);
  if (const Value* const ended = FieldAt(container, {"state", "terminated"}); ended != nullptr) {
    const ProcessEnd end = EndOf(name, *ended);
    if (end.exit_code == 0) return false;
    status.last_end = end;
    status.failure = end.message;
    status.exit_code = end.exit_code;
    return true;
  }
  const std::string& reason = TextAt(container, {"state", "waiting", "reason"});
  if (std::ranges::find(kFailedWaits, reason) == kFailedWaits.end()) return false;
  if (reason == "CrashLoopBackOff" && last != nullptr) {
    status.failure = status.last_end->message;
    status.exit_code = status.last_end->exit_code;
  } else {
    const std::string message = Cut(TextAt(container, {"state", "waiting", "message"}));
    status.failure = message.empty() ? reason : reason + ": " + message;
  }
  return true;
}

bool HasCondition(const Value& pod, std::string_view type, std::string_view value) {
  const Value* const conditions = FieldAt(pod, {"status", "conditions"});
  return conditions != nullptr && std::ranges::any_of(conditions->items(), [&](const Value& condition) {
           return TextAt(condition, {"type"}) == type && TextAt(condition, {"status"}) == value;
         });
}

const std::string& HashOf(const Value& pod) { return TextAt(pod, {"metadata", "labels", "pod-template-hash"}); }

const std::string& CreatedAt(const Value& pod) { return TextAt(pod, {"metadata", "creationTimestamp"}); }

// Creation times have whole seconds. Of two pods of the same second, the one that is not ready counts as newer.
bool CameLater(const Value& pod, const Value& other) {
  if (CreatedAt(pod) != CreatedAt(other)) return CreatedAt(pod) > CreatedAt(other);
  return !HasCondition(pod, "Ready", "True") && HasCondition(other, "Ready", "True");
}

}  // namespace

ReplicaStatus ReadPodStatus(const Value& pod) {
  ReplicaStatus status{.name = TextAt(pod, {"metadata", "name"})};
  bool failed = false;
  for (const std::string_view list : {"initContainerStatuses", "containerStatuses"}) {
    const Value* const containers = FieldAt(pod, {"status", list});
    if (containers == nullptr) continue;
    for (const Value& container : containers->items()) {
      ReplicaStatus more{.name = {}};
      const bool this_failed = ReadContainer(container, more);
      status.restarts += more.restarts;
      if (more.last_end.has_value() && !failed) status.last_end = more.last_end;
      if (!this_failed || failed) continue;
      failed = true;
      status.failure = more.failure;
      status.exit_code = more.exit_code;
    }
  }
  if (!failed && TextAt(pod, {"status", "phase"}) == "Failed") {
    failed = true;
    const std::string& reason = TextAt(pod, {"status", "reason"});
    status.failure = Cut((reason.empty() ? "Failed" : reason) + ": " + TextAt(pod, {"status", "message"}));
  }
  if (FieldAt(pod, {"metadata", "deletionTimestamp"}) != nullptr) {
    status.state = ReplicaState::kStopping;
    status.failure.clear();
  } else if (failed) {
    status.state = ReplicaState::kFailed;
  } else if (HasCondition(pod, "Ready", "True")) {
    status.state = ReplicaState::kReady;
  }
  return status;
}

std::string WhyPodWaits(const Value& pod) {
  const Value* const conditions = FieldAt(pod, {"status", "conditions"});
  if (conditions == nullptr) return {};
  for (const Value& condition : conditions->items()) {
    if (TextAt(condition, {"type"}) != "PodScheduled" || TextAt(condition, {"status"}) != "False") continue;
    return "pod \"" + TextAt(pod, {"metadata", "name"}) + "\": " + TextAt(condition, {"reason"}) + ": " +
           Cut(TextAt(condition, {"message"}));
  }
  return {};
}

PodGenerations SplitPods(std::span<const Value* const> pods) {
  PodGenerations generations;
  const Value* latest = nullptr;
  for (const Value* pod : pods) {
    if (latest == nullptr || CameLater(*pod, *latest)) latest = pod;
  }
  for (const Value* pod : pods) {
    (HashOf(*pod) == HashOf(*latest) ? generations.newest : generations.earlier).push_back(pod);
  }
  return generations;
}

}  // namespace inferd::cluster
