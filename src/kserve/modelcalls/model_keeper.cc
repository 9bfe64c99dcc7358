#include "kserve/modelcalls/model_keeper.h"

#include <chrono>

namespace inferd::modelcalls {

namespace {

constexpr std::chrono::seconds kTimeout{2};
constexpr int kLooksOfALoad = 60;

}  // namespace

ModelKeeper::ModelKeeper(const std::string& address) : calls_(address, kTimeout) {}

ModelKeeper::Seen ModelKeeper::Look() {
  Seen seen;
  const auto ready = calls_.ListReady();
  if (!ready.has_value()) return seen;
  for (const std::string& name : *ready) {
    if (awaited_.erase(name) > 0) seen.reloaded.push_back(name);
  }
  for (const std::string& name : lost_.Note(*ready)) {
    if (const auto awaited = awaited_.find(name); awaited != awaited_.end() && --awaited->second > 0) continue;
    const base::Status loaded = calls_.Load(name);
    if (loaded.ok()) {
      awaited_.erase(name);
      seen.reloaded.push_back(name);
    } else if (loaded.code() == base::StatusCode::kUnavailable) {
      // A load that outlasts the timeout goes on in the server.
      awaited_[name] = kLooksOfALoad;
    } else {
      awaited_.erase(name);
      lost_.Forget(name);
      seen.failures.push_back("model '" + name + "': " + std::string(loaded.message()));
    }
  }
  return seen;
}

}  // namespace inferd::modelcalls
