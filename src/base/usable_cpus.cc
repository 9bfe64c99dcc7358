#include "base/usable_cpus.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "base/cpu_cores.h"

namespace inferd::base {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// CPUs, of one group. What is not there, or says "max" or -1, is no limit.
double QuotaIn(const std::filesystem::path& group) {
  double quota_us = 0;
  double period_us = 0;
  if (std::ifstream file(group / "cpu.max"); file >> quota_us >> period_us) return quota_us / period_us;
  std::ifstream quota(group / "cpu.cfs_quota_us");
  std::ifstream period(group / "cpu.cfs_period_us");
  if (quota >> quota_us && period >> period_us && quota_us > 0) return quota_us / period_us;
  return kUnlimited;
}

// Of the group and of all above it: each limits those below. In a container the path may be the host's, of which
// nothing is to be seen but its end, the mount.
double QuotaFrom(const std::filesystem::path& mount, const std::filesystem::path& group) {
  double least = QuotaIn(mount);
  std::filesystem::path at = mount;
  for (const auto& name : group.relative_path().lexically_normal()) {
    at /= name;
    least = std::min(least, QuotaIn(at));
  }
  return least;
}

// Lines are ID:CONTROLLERS:PATH; version 2 names no controllers.
double Quota(const ControlGroups& groups) {
  double least = kUnlimited;
  std::ifstream membership(groups.membership);
  for (std::string line; std::getline(membership, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") least = std::min(least, QuotaFrom(groups.mount, path));
    if (controllers.contains(",cpu,")) least = std::min(least, QuotaFrom(groups.mount / "cpu", path));
  }
  return least;
}

}  // namespace

int UsableCpus(const ControlGroups& groups) {
  const auto allowed = static_cast<double>(std::max<size_t>(ThreadCpuCores().size(), 1));
  const double quota = std::ceil(Quota(groups));
  return static_cast<int>(quota >= 1 ? std::min(allowed, quota) : allowed);
}

}  // namespace inferd::base
