#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "base/status.h"
#include "base/system/control_groups.h"
#include "kserve/node/resources/control_group.h"

namespace inferd::node {

// The part of the machine's control groups of version 2 (cgroups(7)) that this process may divide: its own group, where
// it is alone in it. A container's, or that of a service of systemd with Delegate=yes:
//
//   OWN/inferd.PID/controller    this process, as a group that has others below it has no processes
//   OWN/inferd.PID/NAME.1        a replica's process
//
// Groups that a program before this one has left are removed. One of a machine; thread-safe.
class ControlGroupTree final {
 public:
  // FAILED_PRECONDITION, with the reason: this process may not divide its group. Then it is where it was.
  static base::Result<std::unique_ptr<ControlGroupTree>> Open(const base::ControlGroups& groups,
                                                              RemoveGroup remove = RemoveGroupFolder);

  GroupControllers controllers() const { return controllers_; }
  // For one life of a process. `name`: of a file; UNAVAILABLE, with the file: it cannot be made.
  base::Result<ControlGroup> Make(const std::string& name, const ContainerResources& resources);

 private:
  ControlGroupTree(std::filesystem::path folder, GroupControllers controllers, RemoveGroup remove)
      : folder_(std::move(folder)), controllers_(controllers), remove_(std::move(remove)) {}

  const std::filesystem::path folder_;
  const GroupControllers controllers_;
  const RemoveGroup remove_;
  std::atomic<uint64_t> made_ = 0;  // the same name may be in several namespaces
};

}  // namespace inferd::node
