#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "base/status.h"
#include "config/options/server_options.h"
#include "storage/download/tree_mirror.h"
#include "storage/locked_folder.h"

namespace inferd::server {

// Model repositories and base paths that are storage URIs: what is there is brought to folders of this machine, which
// are looked at as any others, and go with this. Thread-safe.
class RemoteModels final {
 public:
  // Brings the models that the options' URIs name, and names the folders in their place; null: there is no URI. Blocks
  // until all are here, or the process is told to end (CANCELLED). The error is the first: a URI, the environment, or
  // what Download says.
  static base::Result<std::unique_ptr<RemoteModels>> Open(config::ServerOptions& options, base::Logger& logger);
  ~RemoteModels();
  RemoteModels(const RemoteModels&) = delete;
  RemoteModels& operator=(const RemoteModels&) = delete;

  // Follows them from now on, every so often. What fails is logged and counted, and changes nothing. `registry`
  // outlives this.
  void Follow(std::chrono::milliseconds every, metrics::Registry& registry);

 private:
  struct Place {
    std::string shown;  // the URI, without what may be secret
    std::unique_ptr<storage::TreeMirror> mirror;
    std::string fault;  // that was logged last
    std::shared_ptr<metrics::Counter> unchanged = nullptr, changed = nullptr, failed = nullptr;
  };

  RemoteModels(storage::LockedFolder folder, base::Logger& logger) : folder_(std::move(folder)), logger_(logger) {}

  base::Status Add(std::string& path, storage::MirrorLayout layout);
  void Run(std::chrono::milliseconds every);
  void Look(Place& place);

  const storage::LockedFolder folder_;
  base::Logger& logger_;
  std::vector<Place> places_;
  base::Mutex mutex_;
  base::CondVar stopped_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace inferd::server
