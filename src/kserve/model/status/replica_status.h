#pragma once

#include <map>
#include <optional>
#include <string>

namespace inferd::model {

// How a replica's container has ended.
struct ProcessEnd {
  int exit_code = 0;  // what it left with, or 128 and the signal's number
  std::string message;
  bool out_of_memory = false;  // it wanted more than its limit

  bool operator==(const ProcessEnd&) const = default;
};

enum class ReplicaState {
  kStarting,
  kReady,
  kFailed,    // its container has ended, or cannot be made; it is started again after a while
  kStopping,  // asked to end
  kEnded,
};

// A replica, as a pod is shown: a process of this machine, or a pod of a cluster.
struct ReplicaStatus {
  std::string name;
  ReplicaState state = ReplicaState::kStarting;
  std::string failure = {};  // why its last container ended, or was not made; empty: none has, or the next one is ready
  std::optional<int> exit_code = std::nullopt;        // of that container; nullopt: it was not made
  std::optional<ProcessEnd> last_end = std::nullopt;  // of the last that has ended, also once the next one is ready
  int restarts = 0;
  // By model: how often another process unloaded it and the controller loaded it again.
  std::map<std::string, int> reloads = {};

  bool operator==(const ReplicaStatus&) const = default;
};

}  // namespace inferd::model
