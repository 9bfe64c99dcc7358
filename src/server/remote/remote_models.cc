#include "server/remote/remote_models.h"

#include <utility>

#include "config/remote_uri.h"
#include "server/process/signals.h"
#include "storage/download/cached_fetch.h"
#include "storage/open_source.h"
#include "storage/source/environment.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::server {

namespace {

constexpr std::string_view kFolderPrefix = "inferd-remote-models-";

// Requests a stop of long operations when the process is told to end.
void WatchForEnd(const std::stop_token& over, std::stop_source& giving_up) {
  constexpr std::chrono::milliseconds kLook{50};
  while (!over.stop_requested() && !giving_up.stop_requested()) {
    if (Signals::EndIsPending()) giving_up.request_stop();
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace

base::Result<std::unique_ptr<RemoteModels>> RemoteModels::Open(config::ServerOptions& options, base::Logger& logger) {
  std::vector<std::pair<std::string*, storage::MirrorLayout>> paths;
  for (auto& repository : options.repositories) {
    if (config::IsRemoteUri(repository.path)) paths.emplace_back(&repository.path, storage::MirrorLayout::kModels);
  }
  for (auto& model : options.served.base_paths) {
    if (config::IsRemoteUri(model.path)) paths.emplace_back(&model.path, storage::MirrorLayout::kOneModel);
  }
  if (paths.empty()) return nullptr;
  std::error_code error;
  const std::filesystem::path parent = options.remote_models.folder.empty()
                                           ? std::filesystem::temp_directory_path(error)
                                           : std::filesystem::path(options.remote_models.folder);
  if (!error) std::filesystem::create_directories(parent, error);
  if (error) return std::unexpected(base::Unavailable("--remote-models-dir: " + error.message()));
  storage::RemoveAbandonedFolders(parent, kFolderPrefix);
  INFERD_ASSIGN_OR_RETURN(storage::LockedFolder folder, storage::LockedFolder::Create(parent, kFolderPrefix));
  std::unique_ptr<RemoteModels> models(new RemoteModels(std::move(folder), logger));
  const std::jthread watching([&models](const std::stop_token& over) { WatchForEnd(over, models->stop_); });
  for (const auto& [path, layout] : paths) INFERD_RETURN_IF_ERROR(models->Add(*path, layout));
  return models;
}

RemoteModels::~RemoteModels() {
  {
    const base::MutexLock lock(mutex_);
    stop_.request_stop();
  }
  stopped_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

base::Status RemoteModels::Add(std::string& path, storage::MirrorLayout layout) {
  const std::string shown = storage::ShownUri(path);
  storage::DownloadOptions options;
  INFERD_RETURN_IF_ERROR(storage::ReadCacheOptions(storage::ProcessEnvironment(), options));
  auto source = storage::OpenSource(path, storage::ProcessEnvironment());
  if (!source.has_value()) return source.error();
  const std::filesystem::path here = folder_.path() / std::to_string(places_.size());
  std::error_code error;
  std::filesystem::create_directory(here, error);
  if (error) return base::Unavailable(here.string() + ": " + error.message());
  Place& place = places_.emplace_back(
      Place{.shown = shown,
            .mirror = std::make_unique<storage::TreeMirror>(*std::move(source), here, layout, options),
            .fault = {}});
  logger_.Info("bringing models", {{"from", shown}});
  const auto brought = place.mirror->Sync(stop_.get_token());
  if (!brought.has_value()) return brought.error().WithContext(shown);
  logger_.Info("models are here", {{"from", shown}, {"models", *brought}});
  path = layout == storage::MirrorLayout::kOneModel ? (here / storage::kOneModelFolder).string() : here.string();
  return {};
}

void RemoteModels::Follow(std::chrono::milliseconds every, metrics::Registry& registry) {
  for (Place& place : places_) {
    const auto counter = [&](const char* result) {
      return registry.AddCounter("inferd_remote_models_looks_total", "Looks at models that are elsewhere",
                                 {{"from", place.shown}, {"result", result}});
    };
    place.unchanged = counter("unchanged");
    place.changed = counter("changed");
    place.failed = counter("failed");
  }
  thread_ = std::thread([this, every] { Run(every); });
}

void RemoteModels::Run(std::chrono::milliseconds every) {
  for (;;) {
    {
      const base::MutexLock lock(mutex_);
      const auto until = std::chrono::steady_clock::now() + every;
      while (!stop_.stop_requested() && std::chrono::steady_clock::now() < until) stopped_.WaitUntil(mutex_, until);
    }
    for (Place& place : places_) {
      if (stop_.stop_requested()) return;
      Look(place);
    }
  }
}

void RemoteModels::Look(Place& place) {
  const auto changes = place.mirror->Sync(stop_.get_token());
  if (stop_.stop_requested()) return;
  if (changes.has_value()) {
    (*changes > 0 ? place.changed : place.unchanged)->Add();
    if (*changes > 0) logger_.Info("models have changed", {{"from", place.shown}, {"models", *changes}});
    if (!place.fault.empty()) logger_.Info("models can be followed again", {{"from", place.shown}});
    place.fault.clear();
    return;
  }
  place.failed->Add();
  if (place.fault == changes.error().message()) return;
  place.fault = changes.error().message();
  logger_.Error("models cannot be followed; what is here stays", {{"from", place.shown}, {"reason", place.fault}});
}

}  // namespace inferd::server
