#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace inferd::repository {

// Says when a problem that every look at the folders finds again is to be logged: when it is new or another than
// before, and then less and less often, after ten seconds first and every ten minutes in the end. Not thread-safe;
// `now_ns` never goes back.
class ProblemLog final {
 public:
  // `key` has that problem now. True: log it.
  bool Note(const std::string& key, const std::string& problem, int64_t now_ns);
  // It has none any more. True: it had one.
  bool Forget(const std::string& key) { return seen_.erase(key) > 0; }
  // Nor have all but these.
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
