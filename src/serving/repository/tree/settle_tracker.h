#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "storage/tree_stat.h"

namespace inferd::repository {

// Decides when files that are being written are complete. A tree is settled when two looks at least `settle_ns` apart,
// and all looks between them, found it unchanged. Not thread-safe. `now_ns` must never decrease.
class SettleTracker final {
 public:
  explicit SettleTracker(int64_t settle_ns) : settle_ns_(settle_ns) {}

  // Takes in one look. Returns true if the tree is settled. A missing tree counts as an empty one.
  bool Observe(const std::string& key, const storage::TreeStat& tree, int64_t now_ns);

  // Makes `tree` settled at once: for files that the server finds when it starts, or is told to load.
  void Accept(const std::string& key, const storage::TreeStat& tree, int64_t now_ns);

  // Returns the number of the key's last change. It differs after every change and after every Accept(). 0 if the key
  // is not known.
  uint64_t LastChange(const std::string& key) const;
  // Returns true if `tree` equals the tree of the last look.
  bool IsSame(const std::string& key, const storage::TreeStat& tree) const;

  void Forget(const std::string& key) { seen_.erase(key); }

 private:
  struct Seen {
    storage::TreeStat tree;
    int64_t since_ns = 0;
    uint64_t change = 0;
  };
  const int64_t settle_ns_;
  uint64_t changes_ = 0;
  std::map<std::string, Seen> seen_;
};

}  // namespace inferd::repository
