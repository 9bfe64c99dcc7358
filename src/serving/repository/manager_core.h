#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/thread_pool.h"
#include "serving/repository/calls.h"
#include "serving/repository/demand/demand_queue.h"
#include "serving/repository/folder_looks.h"
#include "serving/repository/load/load_runner.h"
#include "serving/repository/manager.h"
#include "serving/repository/served_models.h"
#include "serving/repository/state.h"
#include "serving/repository/stepper.h"
#include "serving/repository/wanted_models.h"

namespace inferd::repository {

// The manager's implementation: its parts, their start and end, and the poller's thread. A step is a look, a call,
// demands, or the end of a load. Each step changes records under the state's lock, asks the planner, starts what the
// plan says, and publishes a snapshot before it releases the lock. Callbacks run after that. Files are read outside the
// lock.
class Manager::Core final : private LoadListener {
 public:
  Core(ManagerOptions options, ManagerServices services);
  ~Core();

  base::Status Start();
  void BeginDrain() { draining_.store(true, std::memory_order_relaxed); }
  size_t Shutdown(std::optional<std::chrono::steady_clock::time_point> until = std::nullopt);

  bool Ready() const;
  std::string StartupFailure() const;
  std::string BadConfiguration() const;
  bool StartupTried() const;
  // Decides once, as soon as every model of the start was tried. HasFailed() returns the decision.
  bool StartupFailed() const;
  bool HasFailed() const { return startup_.load(std::memory_order_relaxed) == Startup::kFailed; }
  base::Result<std::vector<core::IndexEntry>> Index(const std::string& repository, bool ready_only) const;

  // Returns the configuration of the highest wanted version, or the model's own if no version is wanted. Reads its
  // files. Returns `none` if there are no files.
  base::Result<std::string> WrittenConfigJson(std::string_view model, const base::Status& none) const;
  std::vector<core::DepartedModel> Departed(std::string_view model) const;
  core::DepartedModel DepartedVersions(std::string_view model) const;

  Calls& calls() { return calls_; }
  ServedModels& served_models() { return served_models_; }
  DemandQueue& demand_queue() { return demand_queue_; }
  // Takes in new demands and answers the demands that have expired. Returns true if some still wait.
  bool ServeDemands(std::vector<core::LoadDemand> demands);

  void Look() { looks_.Look(/*initial=*/false); }
  void WaitIdle();
  uint64_t RefusedTransitions() const;
  uint64_t RecordsTouched() const;

 private:
  enum class Startup : uint8_t { kOpen, kPassed, kFailed };

  bool Stopping() const override;
  void LoadEnded(const core::ModelId& id, base::Result<std::shared_ptr<const core::ModelVersion>> loaded) override;
  void LoadGone(const LoadMetrics::Version& load) override;
  void LoadDone() override;

  void RunPoller();
  void LookUnlessOutOfMemory(bool initial);
  bool WaitForNextLook();

  static constexpr size_t kRetireThreads = 8;

  const ManagerOptions options_;
  const ManagerServices services_;
  LoadMetrics load_metrics_;  // thread-safe
  const Loader loader_;
  LazyMetrics lazy_metrics_;
  State state_;
  LockedSource source_;
  std::atomic<bool> draining_{false};
  mutable std::atomic<Startup> startup_{Startup::kOpen};
  const WantedModels wants_;
  LoadRunner runner_;
  const Stepper stepper_;
  FolderLooks looks_;
  Calls calls_;
  ServedModels served_models_;
  DemandQueue demand_queue_;
  std::thread poller_;
  // The pools are joined before the other members are destroyed. Versions end on a pool of their own, so that an unload
  // never waits for a load. That pool has several threads, so that versions with worker processes wait for them at the
  // same time.
  base::ThreadPool retire_pool_{"retire", kRetireThreads};
  base::ThreadPool load_pool_;
};

}  // namespace inferd::repository
