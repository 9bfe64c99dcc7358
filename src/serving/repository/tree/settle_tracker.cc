#include "serving/repository/tree/settle_tracker.h"

namespace inferd::repository {

bool SettleTracker::Observe(const std::string& key, const storage::TreeStat& tree, int64_t now_ns) {
  const auto [it, is_new] = seen_.try_emplace(key);
  Seen& seen = it->second;
  if (is_new || seen.tree != tree) {
    seen = {tree, now_ns, ++changes_};
    return settle_ns_ == 0;
  }
  return now_ns - seen.since_ns >= settle_ns_;
}

void SettleTracker::Accept(const std::string& key, const storage::TreeStat& tree, int64_t now_ns) {
  seen_[key] = {tree, now_ns - settle_ns_, ++changes_};
}

uint64_t SettleTracker::LastChange(const std::string& key) const {
  const auto it = seen_.find(key);
  return it == seen_.end() ? 0 : it->second.change;
}

bool SettleTracker::IsSame(const std::string& key, const storage::TreeStat& tree) const {
  const auto it = seen_.find(key);
  return it != seen_.end() && it->second.tree == tree;
}

}  // namespace inferd::repository
