#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "kserve/node/resources/container_resources.h"

namespace inferd::node {

// The kernel's controllers that a control group has.
struct GroupControllers {
  bool cpu = false;
  bool memory = false;
};

// Removes a group, which must have no processes. Returns false if it could not. The kernel removes a group's files with
// its folder. A test's stand-in does not.
using RemoveGroup = std::function<bool(const std::filesystem::path& group)>;
bool RemoveGroupFolder(const std::filesystem::path& group);

// Writes a group's file in one call, as the kernel requires. UNAVAILABLE with the system's reason.
base::Status WriteGroupFile(const std::filesystem::path& file, std::string_view text);

// A control group of version 2 (cgroups(7)) for one process and its children, with the limits of a container:
//
//   limits.cpu 1500m   cpu.max "150000 100000"
//   requests.cpu       cpu.weight, by Kubernetes' formula
//   limits.memory      memory.max; if exceeded, all of its processes end (memory.oom.group)
//
// The destructor ends its processes and removes it. Move-only. Not thread-safe.
class ControlGroup final {
 public:
  // Creates the group at `path`. UNAVAILABLE, with the file, if that fails.
  static base::Result<ControlGroup> Make(const std::filesystem::path& path, const ContainerResources& resources,
                                         GroupControllers controllers, RemoveGroup remove);
  ~ControlGroup();
  ControlGroup(ControlGroup&& other) noexcept;
  ControlGroup& operator=(ControlGroup&&) = delete;

  // Returns the descriptor for base::ChildCommand::control_group.
  int join() const { return join_.get(); }
  // Returns true if the kernel has killed its processes because they exceeded the memory limit.
  bool KilledForMemory() const;

 private:
  ControlGroup(std::filesystem::path path, RemoveGroup remove) : path_(std::move(path)), remove_(std::move(remove)) {}
  base::Status SetLimits(const ContainerResources& resources, GroupControllers controllers) const;

  std::filesystem::path path_;  // empty after a move
  RemoveGroup remove_;
  base::FileDescriptor join_;
};

}  // namespace inferd::node
