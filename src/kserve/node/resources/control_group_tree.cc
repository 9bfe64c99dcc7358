#include "kserve/node/resources/control_group_tree.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace inferd::node {

namespace {

using std::filesystem::path;

constexpr std::string_view kPrefix = "inferd.";

base::Status Undividable(const std::string& why) { return base::FailedPrecondition(why); }

// Returns the folder of this process's group. Empty if there is none of version 2.
path OwnGroup(const base::ControlGroups& groups) {
  std::error_code ignored;
  path mount = groups.mount;
  // Beside version 1, version 2 has its own folder.
  if (!exists(mount / "cgroup.controllers", ignored)) mount /= "unified";
  if (!exists(mount / "cgroup.controllers", ignored)) return {};
  std::ifstream membership(groups.membership);
  for (std::string line; std::getline(membership, line);) {
    if (!line.starts_with("0::")) continue;
    path own = mount / path(line.substr(3)).relative_path();
    // In a container, the path may be the host's. Then only the mount itself is visible.
    return exists(own, ignored) ? own : mount;
  }
  return {};
}

GroupControllers ControllersOf(const path& group) {
  GroupControllers found;
  std::ifstream file(group / "cgroup.controllers");
  for (std::string name; file >> name;) {
    found.cpu |= name == "cpu";
    found.memory |= name == "memory";
  }
  return found;
}

std::string Enable(GroupControllers controllers) {
  std::string text;
  if (controllers.cpu) text += "+cpu ";
  if (controllers.memory) text += "+memory ";
  return text;
}

// Removes what a killed process has left.
void RemoveLeft(const path& own, const RemoveGroup& remove) {
  std::error_code ignored;
  std::vector<path> left;
  for (const auto& entry : std::filesystem::directory_iterator(own, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix)) continue;
    const pid_t process = static_cast<pid_t>(std::atoll(name.c_str() + kPrefix.size()));
    if (process <= 0 || (kill(process, 0) != 0 && errno == ESRCH)) left.push_back(entry.path());
  }
  for (const path& group : left) {
    for (const auto& entry : std::filesystem::directory_iterator(group, ignored)) {
      if (entry.is_directory(ignored)) static_cast<void>(remove(entry.path()));
    }
    static_cast<void>(remove(group));
  }
}

// Creates OWN/inferd.PID, moves this process below it, and enables the controllers for the other subgroups.
base::Status Divide(const path& own, const path& folder, GroupControllers controllers, const RemoveGroup& remove) {
  const path self = folder / "controller";
  std::error_code error;
  if (!create_directory(folder, error) || !create_directory(self, error)) {
    static_cast<void>(remove(folder));
    return Undividable(folder.string() + ": " + error.message());
  }
  const std::string process = std::to_string(getpid());
  base::Status divided = WriteGroupFile(self / "cgroup.procs", process);
  if (divided.ok()) divided = WriteGroupFile(own / "cgroup.subtree_control", Enable(controllers));
  if (divided.ok()) divided = WriteGroupFile(folder / "cgroup.subtree_control", Enable(controllers));
  if (divided.ok()) return base::OkStatus();
  static_cast<void>(WriteGroupFile(own / "cgroup.procs", process).ok());
  static_cast<void>(remove(self));
  static_cast<void>(remove(folder));
  return Undividable("its control group has other processes, or is not its own: " + std::string(divided.message()));
}

}  // namespace

base::Result<std::unique_ptr<ControlGroupTree>> ControlGroupTree::Open(const base::ControlGroups& groups,
                                                                       RemoveGroup remove) {
  const path own = OwnGroup(groups);
  if (own.empty()) return std::unexpected(Undividable("there are no control groups of version 2"));
  const GroupControllers controllers = ControllersOf(own);
  if (!controllers.cpu && !controllers.memory) {
    return std::unexpected(Undividable("its control group has no controller of CPUs or memory"));
  }
  RemoveLeft(own, remove);
  const path folder = own / (std::string(kPrefix) + std::to_string(getpid()));
  INFERD_RETURN_IF_ERROR(Divide(own, folder, controllers, remove));
  return std::unique_ptr<ControlGroupTree>(new ControlGroupTree(folder, controllers, std::move(remove)));
}

base::Result<ControlGroup> ControlGroupTree::Make(const std::string& name, const ContainerResources& resources) {
  return ControlGroup::Make(folder_ / (name + "." + std::to_string(++made_)), resources, controllers_, remove_);
}

}  // namespace inferd::node
