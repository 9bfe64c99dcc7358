#include "worker/isolating_engine.h"

#include "worker/isolated_model.h"
#include "worker/supervisor.h"

namespace inferd::worker {

base::Result<std::unique_ptr<core::EngineModel>> IsolatingEngine::Load(const core::LoadSpec& spec) {
  if (spec.config->isolation == config::Isolation::kNone) return inside_.Load(spec);
  Supervisor::Options options{.program = options_.program,
                              .start = {.engine_library = library_,
                                        .process_cpu_threads = options_.process_cpu_threads,
                                        .log_format = options_.log_format,
                                        .log_levels = {},
                                        .load = spec},
                              .logger = options_.logger};
  if (options_.logger != nullptr) {
    for (size_t level = 0; level < options.start.log_levels.size(); ++level) {
      options.start.log_levels[level] = options_.logger->Enabled(static_cast<base::LogLevel>(level));
    }
  }
  INFERD_ASSIGN_OR_RETURN(auto supervisor, Supervisor::Start(std::move(options)));
  return std::make_unique<IsolatedModel>(std::move(supervisor), 0);
}

}  // namespace inferd::worker
