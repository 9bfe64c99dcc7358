#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/mutex.h"
#include "serving/core/engine.h"
#include "serving/enginehost/transfer/pinned_use.h"
#include "serving/worker/parent/supervisor.h"

namespace inferd::worker {

struct IsolationOptions {
  std::filesystem::path program;                         // inferd-worker
  int process_cpu_threads = 1;                           // compute threads of the server, and of each worker
  base::Logger* logger = nullptr;                        // null for no log; outlives the engines of the process
  base::LogFormat log_format = base::LogFormat::kHuman;  // of the workers' own lines, on standard error
  uint64_t pinned_pool_bytes = 0;                        // size of each worker's pool of pinned memory; 0 for none
  std::shared_ptr<enginehost::PinnedUses> pinned_uses = nullptr;  // counts these pools; may be null
  bool core_files = false;                                        // write core files of workers that crash
  std::chrono::milliseconds patience = Supervisor::kPatience;     // Supervisor::Options::patience
};

// An engine that also runs in worker processes: each model with inferd { isolation: PROCESS } has its own process, and
// all models with ENGINE_PROCESS share one. Thread-safe.
class IsolatingEngine final : public core::Engine {
 public:
  // `inside` was opened from `library` and must outlive this object.
  IsolatingEngine(core::Engine& inside, std::filesystem::path library, IsolationOptions options)
      : inside_(inside), library_(std::move(library)), options_(std::move(options)) {}

  std::string_view name() const override { return inside_.name(); }
  std::string_view version() const override { return inside_.version(); }
  std::string_view default_model_filename() const override { return inside_.default_model_filename(); }
  config::EngineGpus gpus() const override { return inside_.gpus(); }
  base::Result<std::unique_ptr<core::EngineModel>> Load(const core::LoadSpec& spec) override;

  // Sets the server that answers requests of the models in worker processes. Must outlive all models. Without it, they
  // get UNAVAILABLE.
  void CallWith(core::ServerCalls* calls) { calls_.store(calls); }

 private:
  base::Result<std::shared_ptr<Supervisor>> ProcessFor(const core::LoadSpec& spec);
  std::shared_ptr<Supervisor> OwnProcess(const core::LoadSpec& spec, std::vector<std::string> environment) const;
  std::shared_ptr<Supervisor> SharedProcess(std::vector<std::string> environment);
  StartOrder Start() const;

  core::Engine& inside_;
  const std::filesystem::path library_;
  const IsolationOptions options_;
  std::atomic<core::ServerCalls*> calls_ = nullptr;
  base::Mutex mutex_;
  std::shared_ptr<Supervisor> shared_ GUARDED_BY(mutex_);  // made for the first model; has no process without models
};

}  // namespace inferd::worker
