#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/options/server_options.h"
#include "serving/core/engine.h"
#include "serving/enginehost/plugin_engine.h"
#include "serving/enginehost/transfer/pinned_use.h"
#include "serving/ensemble/ensemble_engine.h"
#include "serving/worker/parent/isolating_engine.h"

namespace inferd::server {

// Returns the folder of the engines' libraries: the option's, or one relative to the program.
std::filesystem::path EngineDirectory(const config::ServerOptions& options);

// The engines that the options name. They live until the process ends.
class EngineSet final {
 public:
  // Opens the engines. An engine that cannot be opened is logged and left out. NOT_FOUND if the folder does not exist.
  static base::Result<EngineSet> Open(const config::ServerOptions& options, base::Logger& logger);

  std::span<core::Engine* const> engines() const { return pointers_; }
  // Gives the engines the means to call models: ensembles, and models of engines (see
  // ensemble::EnsembleEngine::CallWith). Both arguments must outlive all models. `calls` is null when calls are no
  // longer possible.
  void CallWith(const core::ModelCaller& models, core::ServerCalls* calls) const;
  // Returns the pinned memory pools of this process and its worker processes. Null if there are none.
  const std::shared_ptr<enginehost::PinnedUses>& pinned_uses() const { return pinned_uses_; }

 private:
  std::shared_ptr<enginehost::PinnedUses> pinned_uses_;
  std::vector<std::unique_ptr<enginehost::PluginEngine>> owned_;
  std::vector<std::unique_ptr<worker::IsolatingEngine>> isolating_;  // each wraps one of owned_
  std::unique_ptr<ensemble::EnsembleEngine> ensembles_;
  std::vector<core::Engine*> pointers_;
};

}  // namespace inferd::server
