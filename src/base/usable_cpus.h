#pragma once

#include <filesystem>

namespace inferd::base {

// Where the kernel says which control group this process is in, and where it shows the groups.
struct ControlGroups {
  std::filesystem::path membership = "/proc/self/cgroup";
  std::filesystem::path mount = "/sys/fs/cgroup";
};

// The CPUs that this process can keep busy: those that the calling thread may run on, or fewer where the process's
// control group, or one above it, has a quota (version 2: cpu.max, version 1: cpu.cfs_quota_us; a container's limit of
// CPUs), rounded up. At least 1. Reads files with each call; thread-safe.
int UsableCpus(const ControlGroups& groups = {});

}  // namespace inferd::base
