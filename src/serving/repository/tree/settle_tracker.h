#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "storage/tree_stat.h"

namespace inferd::repository {

// Tells what is still being written from what is whole: a thing is settled when two looks at least `settle_ns` apart,
// and all in between, found it the same. Not thread-safe; `now_ns` never goes back.
class SettleTracker final {
 public:
  explicit SettleTracker(int64_t settle_ns) : settle_ns_(settle_ns) {}

  // True: settled. What is not there is an empty tree.
  bool Observe(const std::string& key, const storage::TreeStat& tree, int64_t now_ns);

  // As if `tree` had been there for long: what the server finds when it starts, or is told to load.
  void Accept(const std::string& key, const storage::TreeStat& tree, int64_t now_ns);

  // Which change of all that there were is the last of this key: it is another number after every change, and after
  // every Accept(). 0: the key is not known.
  uint64_t LastChange(const std::string& key) const;
  // Whether `tree` is what it was seen as last.
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
