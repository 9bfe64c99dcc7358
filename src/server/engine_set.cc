#include "server/engine_set.h"

#include <algorithm>
#include <filesystem>

#include "base/system/program_folder.h"
#include "server/option_mapping.h"
#include "serving/enginehost/engine_directory.h"

namespace inferd::server {

// The installed layout is <prefix>/bin/inferd, <prefix>/bin/inferd-worker and <prefix>/lib/inferd/engines.
std::filesystem::path EngineDirectory(const config::ServerOptions& options) {
  if (!options.engine_directory.empty()) return options.engine_directory;
  return base::ProgramFolder().parent_path() / "lib" / "inferd" / "engines";
}

void EngineSet::CallWith(const core::ModelCaller& models, core::ServerCalls* calls) const {
  ensembles_->CallWith(models);
  for (const auto& engine : owned_) engine->CallWith(calls);
  for (const auto& engine : isolating_) engine->CallWith(calls);
}

base::Result<EngineSet> EngineSet::Open(const config::ServerOptions& options, base::Logger& logger) {
  EngineSet set;
  std::shared_ptr<enginehost::PinnedPool> pinned;
  if (const uint64_t bytes = options.gpus.pinned_pool_bytes; bytes > 0) {
    const auto use = std::make_shared<enginehost::PinnedUse>();
    pinned = std::make_shared<enginehost::PinnedPool>(bytes, use);
    set.pinned_uses_ = std::make_shared<enginehost::PinnedUses>();
    set.pinned_uses_->Add(use);
  }
  INFERD_ASSIGN_OR_RETURN(
      auto found,
      enginehost::OpenEngines(EngineDirectory(options),
                              {.logger = &logger, .pinned = std::move(pinned), .cpu_threads = CpuThreads(options)}));
  for (const base::Status& problem : found.problems) logger.Error("engine left out", {{"reason", problem.message()}});
  set.owned_ = std::move(found.engines);
  for (const auto& engine : set.owned_) {
    logger.Info("engine", {{"name", engine->name()}, {"version", engine->version()}});
    set.isolating_.push_back(std::make_unique<worker::IsolatingEngine>(
        *engine, engine->path(),
        worker::IsolationOptions{.program = base::ProgramFolder() / "inferd-worker",
                                 .process_cpu_threads = CpuThreads(options),
                                 .logger = &logger,
                                 .log_format = options.log.format,
                                 .pinned_pool_bytes = options.gpus.pinned_pool_bytes,
                                 .pinned_uses = set.pinned_uses_,
                                 .core_files = options.core_files}));
    set.pointers_.push_back(set.isolating_.back().get());
  }
  set.ensembles_ = std::make_unique<ensemble::EnsembleEngine>(
      ensemble::EnsembleEngine::Options{.triton_exact = options.personality->triton_exact, .logger = &logger});
  set.pointers_.push_back(set.ensembles_.get());
  for (const auto& [name, parameters] : options.engine_parameters) {
    if (name == "*") continue;  // means every engine
    if (std::ranges::find(set.pointers_, name, &core::Engine::name) != set.pointers_.end()) continue;
    logger.Warning("parameters have no effect: there is no such engine", {{"engine", name}});
  }
  return set;
}

}  // namespace inferd::server
