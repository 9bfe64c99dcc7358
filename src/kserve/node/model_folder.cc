#include "kserve/node/model_folder.h"

#include <chrono>
#include <filesystem>
#include <utility>

namespace inferd::node {

namespace {

constexpr std::chrono::milliseconds kLookAtStop{50};

}  // namespace

ModelFolder::ModelFolder(Fetch fetch, std::string folder) : fetch_(std::move(fetch)), folder_(std::move(folder)) {}

ModelFolder::~ModelFolder() {
  std::error_code ignored;
  if (fetch_ != nullptr) std::filesystem::remove_all(folder_, ignored);
}

base::Result<std::string> ModelFolder::Await(const std::stop_token& stop) {
  if (fetch_ == nullptr) return std::string();
  {
    base::MutexLock lock(mutex_);
    while (fetching_ && !stop.stop_requested()) {
      changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + kLookAtStop);
    }
    if (stop.stop_requested()) return std::unexpected(base::Cancelled("the replica is not wanted any more"));
    if (there_) return folder_;
    fetching_ = true;
  }
  const base::Status fetched = fetch_(folder_, stop);
  {
    const base::MutexLock lock(mutex_);
    fetching_ = false;
    there_ = fetched.ok();
    changed_.NotifyAll();
  }
  if (!fetched.ok()) return std::unexpected(fetched);
  return folder_;
}

}  // namespace inferd::node
