#include "base/system/usable_cpus.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "base/system/cpu_cores.h"

namespace inferd::base {

namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Returns the CPUs that a group's quota allows. A missing file, "max" and -1 mean no limit.
double QuotaIn(const std::filesystem::path& group) {
  double quota_us = 0;
  double period_us = 0;
  if (std::ifstream file(group / "cpu.max"); file >> quota_us >> period_us) return quota_us / period_us;
  std::ifstream quota(group / "cpu.cfs_quota_us");
  std::ifstream period(group / "cpu.cfs_period_us");
  if (quota >> quota_us && period >> period_us && quota_us > 0) return quota_us / period_us;
  return kUnlimited;
}

}  // namespace

int UsableCpus(const ControlGroups& groups) {
  const auto allowed = static_cast<double>(std::max<size_t>(ThreadCpuCores().size(), 1));
  const double quota = std::ceil(LeastLimit(groups, "cpu", QuotaIn));
  return static_cast<int>(quota >= 1 ? std::min(allowed, quota) : allowed);
}

}  // namespace inferd::base
