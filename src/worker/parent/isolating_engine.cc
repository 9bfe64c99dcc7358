#include "worker/parent/isolating_engine.h"

#include <string>

#include "worker/parent/isolated_model.h"

namespace inferd::worker {

base::Result<std::unique_ptr<core::EngineModel>> IsolatingEngine::Load(const core::LoadSpec& spec) {
  if (spec.config->isolation == config::Isolation::kNone) return inside_.Load(spec);
  const bool shares = spec.config->isolation == config::Isolation::kEngineProcess;
  INFERD_ASSIGN_OR_RETURN(auto model, Supervisor::Host(shares ? SharedProcess() : OwnProcess(spec), spec));
  return std::make_unique<IsolatedModel>(std::move(model), 0);
}

std::shared_ptr<Supervisor> IsolatingEngine::OwnProcess(const core::LoadSpec& spec) const {
  StartOrder start = Start();
  start.cores = spec.AllCores();
  return std::make_shared<Supervisor>(Supervisor::Options{.program = options_.program,
                                                          .start = std::move(start),
                                                          .kind = "model",
                                                          .title = spec.model_name + "/" + std::to_string(spec.version),
                                                          .logger = options_.logger,
                                                          .calls = calls_.load(),
                                                          .pinned_uses = options_.pinned_uses});
}

std::shared_ptr<Supervisor> IsolatingEngine::SharedProcess() {
  base::MutexLock lock(mutex_);
  if (shared_ == nullptr) {
    shared_ = std::make_shared<Supervisor>(Supervisor::Options{.program = options_.program,
                                                               .start = Start(),
                                                               .kind = "engine",
                                                               .title = std::string(name()),
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
          .pinned_pool_bytes = options_.pinned_pool_bytes};
}

}  // namespace inferd::worker
