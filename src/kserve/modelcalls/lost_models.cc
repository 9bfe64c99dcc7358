#include "kserve/modelcalls/lost_models.h"

#include <algorithm>

namespace inferd::modelcalls {

namespace {

constexpr int kMissedMax = 2;

}  // namespace

std::vector<std::string> LostModels::Note(const std::set<std::string>& ready) {
  std::vector<std::string> lost;
  for (auto& [name, missed] : missed_) {
    missed = ready.contains(name) ? 0 : std::min(missed + 1, kMissedMax);
    if (missed == kMissedMax) lost.push_back(name);
  }
  for (const std::string& name : ready) missed_.try_emplace(name, 0);
  return lost;
}

}  // namespace inferd::modelcalls
