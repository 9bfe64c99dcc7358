#include "node/model_folder.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "storage/download/download.h"

namespace inferd::node {

namespace {

constexpr std::chrono::milliseconds kLookAtStop{50};

}  // namespace

ModelFolder::ModelFolder(std::string uri, std::string folder) : uri_(std::move(uri)), folder_(std::move(folder)) {}

ModelFolder::~ModelFolder() {
  std::error_code ignored;
  if (!uri_.empty()) std::filesystem::remove_all(folder_, ignored);
}

base::Result<std::string> ModelFolder::Await(const std::stop_token& stop) {
  if (uri_.empty()) return std::string();
  {
    base::MutexLock lock(mutex_);
    while (fetching_ && !stop.stop_requested()) {
      changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + kLookAtStop);
    }
    if (stop.stop_requested()) return std::unexpected(base::Cancelled("the replica is not wanted any more"));
    if (there_) return folder_;
    fetching_ = true;
  }
  const base::Status fetched = storage::Download(uri_, folder_, storage::ProcessEnvironment(), {}, stop);
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
