#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace inferd::repository {

// Decides when to log a problem that every look at the folders finds again: when it is new or has changed, and then
// less and less often, after ten seconds at first and every ten minutes in the end. Not thread-safe. `now_ns` must
// never decrease.
class ProblemLog final {
 public:
  // Notes that `key` has this problem now. Returns true if the caller must log it.
  bool Note(const std::string& key, const std::string& problem, int64_t now_ns);
  // Notes that `key` has no problem any more. Returns true if it had one.
  bool Forget(const std::string& key) { return seen_.erase(key) > 0; }
  // Forgets the problems of all other keys.
  void ForgetOthers(const std::set<std::string>& keys);

 private:
  struct Seen {
    std::string problem;
    int64_t next_ns = 0;  // when it is logged again
    int64_t wait_ns = 0;
  };
  std::map<std::string, Seen> seen_;
};

}  // namespace inferd::repository
