#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/system/control_groups.h"
#include "kserve/node/resources/control_group.h"

namespace inferd::node {

// The part of the machine's control groups of version 2 (cgroups(7)) that this process may divide: its own group, if it
// is alone in it. That is a container's group, or that of a systemd service with Delegate=yes:
//
//   OWN/inferd.PID/controller    this process, because a group with subgroups must not have processes
//   OWN/inferd.PID/NAME.1        a replica's process
//
// Groups of an earlier run are removed. One per machine. Thread-safe.
class ControlGroupTree final {
 public:
  // Moves this process into a new subgroup. FAILED_PRECONDITION, with the reason, if this process may not divide its
  // group. Then nothing has changed.
  static base::Result<std::unique_ptr<ControlGroupTree>> Open(const base::ControlGroups& groups,
                                                              RemoveGroup remove = RemoveGroupFolder);

  GroupControllers controllers() const { return controllers_; }
  // Creates the group for one run of a process. `name` must be a valid file name. UNAVAILABLE, with the file, if that
  // fails.
  base::Result<ControlGroup> Make(const std::string& name, const ContainerResources& resources);

 private:
  ControlGroupTree(std::filesystem::path folder, GroupControllers controllers, RemoveGroup remove)
      : folder_(std::move(folder)), controllers_(controllers), remove_(std::move(remove)) {}

  const std::filesystem::path folder_;
  const GroupControllers controllers_;
  const RemoveGroup remove_;
  std::atomic<uint64_t> made_ = 0;  // makes names unique: several namespaces may have the same name
};

}  // namespace inferd::node
