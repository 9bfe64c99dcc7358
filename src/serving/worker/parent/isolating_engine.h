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
  int process_cpu_threads = 1;                           // what the server's engines share, and each worker's
  base::Logger* logger = nullptr;                        // outlives the process's engines; null: silence
  base::LogFormat log_format = base::LogFormat::kHuman;  // of the workers' own lines, on standard error
  uint64_t pinned_pool_bytes = 0;                        // of each worker's pool of pinned memory; 0: they have none
  std::shared_ptr<enginehost::PinnedUses> pinned_uses = nullptr;  // where these pools are counted; null: nowhere
  bool core_files = false;                                        // of workers that crash
  std::chrono::milliseconds patience = Supervisor::kPatience;     // Supervisor::Options::patience
};

// An engine, and the same one in worker processes: models whose configuration says inferd { isolation: PROCESS } run in
// one each, those that say ENGINE_PROCESS in one together. Thread-safe.
class IsolatingEngine final : public core::Engine {
 public:
  // `inside`, which outlives this, was opened from `library`.
  IsolatingEngine(core::Engine& inside, std::filesystem::path library, IsolationOptions options)
      : inside_(inside), library_(std::move(library)), options_(std::move(options)) {}

  std::string_view name() const override { return inside_.name(); }
  std::string_view version() const override { return inside_.version(); }
  std::string_view default_model_filename() const override { return inside_.default_model_filename(); }
  config::EngineGpus gpus() const override { return inside_.gpus(); }
  base::Result<std::unique_ptr<core::EngineModel>> Load(const core::LoadSpec& spec) override;

  // What the models in worker processes may ask; without it, nothing. Outlives all of them.
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
  std::shared_ptr<Supervisor> shared_ GUARDED_BY(mutex_);  // made for the first model; without models it has no process
};

}  // namespace inferd::worker
