#include "serving/worker/parent/isolating_engine.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/system/model_environment.h"
#include "serving/worker/parent/isolated_model.h"

namespace inferd::worker {

base::Result<std::unique_ptr<core::EngineModel>> IsolatingEngine::Load(const core::LoadSpec& spec) {
  if (spec.config->isolation == config::Isolation::kNone) return inside_.Load(spec);
  INFERD_ASSIGN_OR_RETURN(const auto process, ProcessFor(spec));
  INFERD_ASSIGN_OR_RETURN(auto model, Supervisor::Host(process, spec));
  return std::make_unique<IsolatedModel>(std::move(model), 0);
}

base::Result<std::shared_ptr<Supervisor>> IsolatingEngine::ProcessFor(const core::LoadSpec& spec) {
  const bool shares = spec.config->isolation == config::Isolation::kEngineProcess;
  const auto find = [&spec](const std::string& name) -> std::optional<std::string_view> {
    const auto found = spec.config->parameters.find(name);
    return found == spec.config->parameters.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  };
  INFERD_ASSIGN_OR_RETURN(auto environment, base::ModelEnvironment(shares ? "" : spec.model_name, find));
  return shares ? SharedProcess(std::move(environment)) : OwnProcess(spec, std::move(environment));
}

std::shared_ptr<Supervisor> IsolatingEngine::OwnProcess(const core::LoadSpec& spec,
                                                        std::vector<std::string> environment) const {
  StartOrder start = Start();
  start.cores = spec.AllCores();
  return std::make_shared<Supervisor>(Supervisor::Options{.program = options_.program,
                                                          .start = std::move(start),
                                                          .kind = "model",
                                                          .title = spec.model_name + "/" + std::to_string(spec.version),
                                                          .environment = std::move(environment),
                                                          .patience = options_.patience,
                                                          .logger = options_.logger,
                                                          .calls = calls_.load(),
                                                          .pinned_uses = options_.pinned_uses});
}

std::shared_ptr<Supervisor> IsolatingEngine::SharedProcess(std::vector<std::string> environment) {
  base::MutexLock lock(mutex_);
  if (shared_ == nullptr) {
    shared_ = std::make_shared<Supervisor>(Supervisor::Options{.program = options_.program,
                                                               .start = Start(),
                                                               .kind = "engine",
                                                               .title = std::string(name()),
                                                               .environment = std::move(environment),
                                                               .patience = options_.patience,
                                                               .logger = options_.logger,
                                                               .calls = calls_.load(),
                                                               .pinned_uses = options_.pinned_uses});
  }
  return shared_;
}

StartOrder IsolatingEngine::Start() const {
  return {.engine_library = library_,
          .process_cpu_threads = options_.process_cpu_threads,
          .log_format = options_.log_format,
          .pinned_pool_bytes = options_.pinned_pool_bytes,
          .core_files = options_.core_files};
}

}  // namespace inferd::worker
