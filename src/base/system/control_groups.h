#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace inferd::base {

// The files in which the kernel shows this process's control group and all groups (cgroups(7)).
struct ControlGroups {
  std::filesystem::path membership = "/proc/self/cgroup";
  std::filesystem::path mount = "/sys/fs/cgroup";
};

// Returns the least value of `limit_of` over the folders of this process's group and all groups above it, since each
// group limits those below. It looks at version 2 and at version 1's `controller`. In a container the path may be the
// host's, of which only the end, the mount, is visible. Infinity if there is no limit. Reads files; thread-safe.
double LeastLimit(const ControlGroups& groups, std::string_view controller,
                  const std::function<double(const std::filesystem::path& group)>& limit_of);

}  // namespace inferd::base
