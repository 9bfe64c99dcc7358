#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

namespace inferd::base {

// Where the kernel says which control group this process is in, and where it shows the groups (cgroups(7)).
struct ControlGroups {
  std::filesystem::path membership = "/proc/self/cgroup";
  std::filesystem::path mount = "/sys/fs/cgroup";
};

// The least of what `limit_of` says of the folders of this process's group and of all groups above it, version 2's and
// those of version 1's `controller`, since each limits those below. In a container the path may be the host's, of which
// nothing is to be seen but its end, the mount. Infinity: there is no limit. Reads files; thread-safe.
double LeastLimit(const ControlGroups& groups, std::string_view controller,
                  const std::function<double(const std::filesystem::path& group)>& limit_of);

}  // namespace inferd::base
