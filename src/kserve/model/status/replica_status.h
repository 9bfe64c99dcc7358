#pragma once

#include <map>
#include <optional>
#include <string>

namespace inferd::model {

// How a replica's container ended.
struct ProcessEnd {
  int exit_code = 0;  // the exit code, or 128 plus the signal's number
  std::string message;
  bool out_of_memory = false;  // true if it exceeded its memory limit

  bool operator==(const ProcessEnd&) const = default;
};

enum class ReplicaState {
  kStarting,
  kReady,
  kFailed,    // the container ended or could not be created; a restart follows after a delay
  kStopping,  // was asked to end
  kEnded,
};

// A replica as a pod's status shows it: a process of this machine, or a pod of a cluster.
struct ReplicaStatus {
  std::string name;
  ReplicaState state = ReplicaState::kStarting;
  std::string failure = {};  // why the last container ended or was not created; empty if none did, or the next is ready
  std::optional<int> exit_code = std::nullopt;        // of that container; nullopt if it was not created
  std::optional<ProcessEnd> last_end = std::nullopt;  // of the last container that ended; kept when the next is ready
  int restarts = 0;
  // By model: how often another process unloaded the model and the controller loaded it again.
  std::map<std::string, int> reloads = {};

  bool operator==(const ReplicaStatus&) const = default;
};

}  // namespace inferd::model
