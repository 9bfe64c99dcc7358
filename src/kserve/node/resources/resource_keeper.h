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

// Which of a container's limits are held on this machine, for a person.
struct LimitsReport {
  std::vector<std::string> held = {};      // "limits.memory 1Gi: ...", each with how
  std::vector<std::string> not_held = {};  // "spec.containers[0].resources.limits[nvidia.com/gpu]"

  bool operator==(const LimitsReport&) const = default;
};

// Holds one life of a process to its container's limits: by a control group, else by looking at its memory again and
// again. Not thread-safe.
class ProcessLimits final {
 public:
  ProcessLimits() = default;
  // `memory`: that is looked at; null: it is not.
  ProcessLimits(std::optional<ControlGroup> group, ProcessMemory* memory, int64_t limit_bytes)
      : group_(std::move(group)), memory_(memory), limit_bytes_(limit_bytes) {}

  // For base::ChildCommand::control_group.
  int join() const { return group_.has_value() ? group_->join() : -1; }
  // How often Passed() is to be called; nullopt: never.
  std::optional<std::chrono::milliseconds> look_every() const;
  // It has more than it may have, and is to be killed. Calls that come sooner than they are to come are answered by
  // false.
  bool Passed(pid_t process);
  // Once it has ended: since it had passed its memory's limit.
  bool EndedForMemory() const { return passed_ || (group_.has_value() && group_->KilledForMemory()); }

 private:
  std::optional<ControlGroup> group_;
  ProcessMemory* memory_ = nullptr;
  int64_t limit_bytes_ = 0;
  std::chrono::steady_clock::time_point looked_ = {};
  bool passed_ = false;
};

// What holds containers to their limits on this machine: control groups, where this process may have some, else less:
// memory is looked at again and again, and inferd is told how many threads it may compute with. Thread-safe; outlives
// what it gives.
class ResourceKeeper final {
 public:
  // Moves this process into a control group of its own, where that can be.
  explicit ResourceKeeper(const base::ControlGroups& groups = {}, RemoveGroup remove = RemoveGroupFolder);

  // Why there are no control groups; empty: there are.
  const std::string& why_no_groups() const { return why_no_groups_; }

  // `container`: as it runs here.
  LimitsReport Report(const manifest::Value& container) const;
  // What inferd is told, where nothing else holds it to its CPUs: "INFERD_CPU_THREADS=2".
  std::vector<std::string> ThreadVariables(const ContainerResources& resources) const;
  // For one life of a process. UNAVAILABLE: it cannot be held to them just now.
  base::Result<ProcessLimits> Hold(const std::string& name, const ContainerResources& resources);

 private:
  GroupControllers controllers() const { return tree_ == nullptr ? GroupControllers() : tree_->controllers(); }

  std::unique_ptr<ControlGroupTree> tree_;  // null: there are no groups
  std::string why_no_groups_;
  ProcessMemory memory_;
};

}  // namespace inferd::node
