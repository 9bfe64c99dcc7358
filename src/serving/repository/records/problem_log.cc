#include "serving/repository/records/problem_log.h"

#include <algorithm>

namespace inferd::repository {

namespace {

constexpr int64_t kWaitNsMin = 10'000'000'000;
constexpr int64_t kWaitNsMax = 600'000'000'000;

}  // namespace

bool ProblemLog::Note(const std::string& key, const std::string& problem, int64_t now_ns) {
  Seen& seen = seen_[key];
  if (seen.problem != problem) seen = {.problem = problem, .next_ns = now_ns, .wait_ns = 0};
  if (now_ns < seen.next_ns) return false;
  seen.wait_ns = std::clamp(seen.wait_ns * 2, kWaitNsMin, kWaitNsMax);
  seen.next_ns = now_ns + seen.wait_ns;
  return true;
}

void ProblemLog::ForgetOthers(const std::set<std::string>& keys) {
  std::erase_if(seen_, [&keys](const auto& entry) { return !keys.contains(entry.first); });
}

}  // namespace inferd::repository
