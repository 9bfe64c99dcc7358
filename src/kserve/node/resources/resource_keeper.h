#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/system/control_groups.h"
#include "kserve/node/resources/container_resources.h"
#include "kserve/node/resources/control_group_tree.h"
#include "kserve/node/resources/process_memory.h"

namespace inferd::node {

// The limits of a container that this machine enforces, and those that it does not, for a person to read.
struct LimitsReport {
  std::vector<std::string> held = {};      // "limits.memory 1Gi: ...", each with the means
  std::vector<std::string> not_held = {};  // "spec.containers[0].resources.limits[nvidia.com/gpu]"

  bool operator==(const LimitsReport&) const = default;
};

// Enforces a container's limits on one run of a process, by a control group or by polling its memory. Not thread-safe.
class ProcessLimits final {
 public:
  ProcessLimits() = default;
  // `memory` measures the process, or is null if a control group limits it or there is no limit.
  ProcessLimits(std::optional<ControlGroup> group, ProcessMemory* memory, int64_t limit_bytes)
      : group_(std::move(group)), memory_(memory), limit_bytes_(limit_bytes) {}

  // Returns the descriptor for base::ChildCommand::control_group, or -1.
  int join() const { return group_.has_value() ? group_->join() : -1; }
  // Returns how often to call Passed(). nullopt for never.
  std::optional<std::chrono::milliseconds> look_every() const;
  // Returns true if the process exceeds its memory limit and must be killed. Returns false without a check if it is
  // called sooner than look_every().
  bool Passed(pid_t process);
  // Returns true if the process ended because it exceeded its memory limit. Call after its end.
  bool EndedForMemory() const { return passed_ || (group_.has_value() && group_->KilledForMemory()); }

 private:
  std::optional<ControlGroup> group_;
  ProcessMemory* memory_ = nullptr;
  int64_t limit_bytes_ = 0;
  std::chrono::steady_clock::time_point looked_ = {};
  bool passed_ = false;
};

// Enforces containers' limits on this machine, by control groups if this process may create some. Otherwise memory is
// polled, and inferd is told how many threads to compute with. Thread-safe. Must outlive the limits that it returns.
class ResourceKeeper final {
 public:
  // Moves this process into a control group of its own, if possible.
  explicit ResourceKeeper(const base::ControlGroups& groups = {}, RemoveGroup remove = RemoveGroupFolder);

  // Returns why there are no control groups. Empty if there are.
  const std::string& why_no_groups() const { return why_no_groups_; }

  // Reports the limits of `container`, as it runs on this machine.
  LimitsReport Report(const manifest::Value& container) const;
  // Returns the variables that limit inferd's threads, if no control group limits its CPUs: "INFERD_CPU_THREADS=2".
  std::vector<std::string> ThreadVariables(const ContainerResources& resources) const;
  // Enforces the limits on one run of a process. UNAVAILABLE if that is not possible at the moment.
  base::Result<ProcessLimits> Hold(const std::string& name, const ContainerResources& resources);

 private:
  GroupControllers controllers() const { return tree_ == nullptr ? GroupControllers() : tree_->controllers(); }

  std::unique_ptr<ControlGroupTree> tree_;  // null if there are no groups
  std::string why_no_groups_;
  ProcessMemory memory_;
};

}  // namespace inferd::node
