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

// Model repositories and base paths that are storage URIs. Their content is mirrored in local folders, which the server
// treats like any others and which are deleted with this object. Thread-safe.
class RemoteModels final {
 public:
  // Downloads the models of the options' URIs, and replaces the URIs by the local folders. Null if there is no URI.
  // Blocks until all are complete, or the process is told to end (CANCELLED). Returns the first error: an invalid URI,
  // the environment, or a failed Download.
  static base::Result<std::unique_ptr<RemoteModels>> Open(config::ServerOptions& options, base::Logger& logger);
  ~RemoteModels();
  RemoteModels(const RemoteModels&) = delete;
  RemoteModels& operator=(const RemoteModels&) = delete;

  // Starts to update the folders at that interval. A failure is logged and counted, and changes nothing. `registry`
  // must outlive this.
  void Follow(std::chrono::milliseconds every, metrics::Registry& registry);

 private:
  struct Place {
    std::string shown;  // the URI without secrets
    std::unique_ptr<storage::TreeMirror> mirror;
    std::string fault;  // the last logged error
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
