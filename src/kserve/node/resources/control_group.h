#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "kserve/node/resources/container_resources.h"

namespace inferd::node {

// Which of the kernel's controllers a control group has.
struct GroupControllers {
  bool cpu = false;
  bool memory = false;
};

// Takes a group away, which has to be without processes; false: it is not. The kernel's groups are folders whose files
// go with them; a stand-in's are not.
using RemoveGroup = std::function<bool(const std::filesystem::path& group)>;
bool RemoveGroupFolder(const std::filesystem::path& group);

// Writes a group's file, in one call, as the kernel wants it. UNAVAILABLE: the system's reason.
base::Status WriteGroupFile(const std::filesystem::path& file, std::string_view text);

// A control group of version 2 (cgroups(7)) for one process and those that it starts, with the limits of a container:
//
//   limits.cpu 1500m   cpu.max "150000 100000"
//   requests.cpu       cpu.weight, by Kubernetes' formula
//   limits.memory      memory.max; all of its processes end where they want more (memory.oom.group)
//
// Ends what is in it, and is gone, with the object. Move-only; not thread-safe.
class ControlGroup final {
 public:
  // `path`: which is made. UNAVAILABLE, with the file: it cannot be.
  static base::Result<ControlGroup> Make(const std::filesystem::path& path, const ContainerResources& resources,
                                         GroupControllers controllers, RemoveGroup remove);
  ~ControlGroup();
  ControlGroup(ControlGroup&& other) noexcept;
  ControlGroup& operator=(ControlGroup&&) = delete;

  // For base::ChildCommand::control_group.
  int join() const { return join_.get(); }
  // The kernel has ended its processes, since they wanted more memory than they may have.
  bool KilledForMemory() const;

 private:
  ControlGroup(std::filesystem::path path, RemoveGroup remove) : path_(std::move(path)), remove_(std::move(remove)) {}
  base::Status SetLimits(const ContainerResources& resources, GroupControllers controllers) const;

  std::filesystem::path path_;  // empty: moved from
  RemoveGroup remove_;
  base::FileDescriptor join_;
};

}  // namespace inferd::node
