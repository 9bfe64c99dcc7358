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

// Where the libraries of engines are: as the options say, or beside the program.
std::filesystem::path EngineDirectory(const config::ServerOptions& options);

// The engines that the options name, opened. They live as long as the process.
class EngineSet final {
 public:
  // NOT_FOUND: no such folder. An engine that does not open is logged and left out.
  static base::Result<EngineSet> Open(const config::ServerOptions& options, base::Logger& logger);

  std::span<core::Engine* const> engines() const { return pointers_; }
  // Ensembles call models with it, and the models of engines; see ensemble::EnsembleEngine::CallWith. Both outlive all
  // models; `calls` is null once that is over.
  void CallWith(const core::ModelCaller& models, core::ServerCalls* calls) const;
  // The pools of pinned memory of this process and of those of models; null: they have none.
  const std::shared_ptr<enginehost::PinnedUses>& pinned_uses() const { return pinned_uses_; }

 private:
  std::shared_ptr<enginehost::PinnedUses> pinned_uses_;
  std::vector<std::unique_ptr<enginehost::PluginEngine>> owned_;
  std::vector<std::unique_ptr<worker::IsolatingEngine>> isolating_;  // one around each
  std::unique_ptr<ensemble::EnsembleEngine> ensembles_;
  std::vector<core::Engine*> pointers_;
};

}  // namespace inferd::server
