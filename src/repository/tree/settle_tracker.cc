#include "repository/tree/settle_tracker.h"

namespace inferd::repository {

bool SettleTracker::Observe(const std::string& key, const storage::TreeStat& tree, int64_t now_ns) {
  const auto [it, is_new] = seen_.try_emplace(key);
  Seen& seen = it->second;
  if (is_new || seen.tree != tree) {
    seen = {tree, now_ns};
    return settle_ns_ == 0;
  }
  return now_ns - seen.since_ns >= settle_ns_;
}

void SettleTracker::Accept(const std::string& key, const storage::TreeStat& tree, int64_t now_ns) {
  seen_[key] = {tree, now_ns - settle_ns_};
}

}  // namespace inferd::repository
