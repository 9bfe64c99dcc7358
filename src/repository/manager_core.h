#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/thread_pool.h"
#include "repository/load/loader.h"
#include "repository/manager.h"
#include "repository/records/model_records.h"
#include "repository/records/problem_log.h"
#include "repository/records/version_metrics.h"
#include "repository/room/lazy_metrics.h"
#include "repository/tree/source.h"
#include "storage/staging.h"

namespace inferd::repository {

// What Manager hides: the records under one lock, the poller's thread, the loader pool. A step (a look, a call, a load
// that ended) changes a record under the lock, asks the planner, starts what it says, and publishes a snapshot before
// the lock is released; callbacks run after. Files are read outside the lock.
class Manager::Core final {
 public:
  Core(ManagerOptions options, ManagerServices services);
  ~Core();

  base::Status Start();
  void BeginDrain() { draining_.store(true, std::memory_order_relaxed); }
  void Shutdown();

  bool Ready() const;
  std::string StartupFailure() const;
  bool StartupTried() const;
  void Load(core::LoadCall call, core::ControlCallback done);
  void Unload(const core::UnloadCall& call, core::ControlCallback done);
  void ReplaceModels(std::vector<config::ServedModel> models, core::ControlCallback done);
  base::Result<std::vector<core::IndexEntry>> Index(const std::string& repository, bool ready_only) const;

  void Demand(core::LoadDemand demand);
  // Takes in what has come, and answers requests that wait no more. True: some wait.
  bool ServeDemands(std::vector<core::LoadDemand> demands);

  void Look(bool initial);
  void WaitIdle();

 private:
  // Callbacks to run once the lock is released.
  using Deferred = std::vector<std::move_only_function<void()>>;
  // Its end is that of a load: all that was made for it is gone.
  class EndNotice;
  friend class EndNotice;

  void RunPoller();
  // Runs a call on the loader's pool, which answers itself unless it fails. Before the first look and after the last,
  // answers UNAVAILABLE.
  using Call = std::move_only_function<base::Status(core::ControlCallback& done)>;
  void RunCall(core::ControlCallback done, Call call);
  base::Status ApplyLoad(const core::LoadCall& call, core::ControlCallback& done);
  std::vector<ModelLook> LookAtNames(const Listing& listing, bool initial) REQUIRES(source_mutex_);
  void ApplyListing(const Listing& listing, bool initial, Deferred& deferred) REQUIRES(mutex_);
  base::Status ApplyModels(const std::vector<config::ServedModel>& models, core::ControlCallback& done);
  // `before`: the model as it was served; null: it is new.
  base::Status CheckBasePath(const config::ServedModel& model, const config::ServedModel* before,
                             const ModelLook& look) const REQUIRES(mutex_);
  base::Status CheckLabels(const config::ServedModel& model, bool is_new, const ModelLook& look) const REQUIRES(mutex_);
  void ServeNamed(const ModelLook& look, Deferred& deferred) REQUIRES(mutex_);
  void EndNamed(const std::string& name, Deferred& deferred) REQUIRES(mutex_);
  base::Status CheckStartup(const Source& source) const;
  void ExpectStartupModels() REQUIRES(mutex_);
  void LogProblems(const std::vector<base::Status>& problems) REQUIRES(source_mutex_);
  // Of a model whose folders say nothing, or nothing that can be served.
  void LogProblem(const std::string& model, const std::string& problem) REQUIRES(mutex_);
  void WarnOfMissing(const ModelLook& look) REQUIRES(mutex_);
  void ApplyLook(const ModelLook& look, bool initial, Deferred& deferred) REQUIRES(mutex_);
  void WantWhatIsThere(const ModelLook& look, ModelRecord& record) REQUIRES(mutex_);
  bool LoadsOnDemand(const ModelLook& look) const;
  void ForgetIfGone(const std::string& name) REQUIRES(mutex_);
  bool WantedFromFolder(const std::string& model, bool initial) const;
  void Advance(ModelRecord& record, Deferred& deferred) REQUIRES(mutex_);
  void Follow(const LoadPlan& plan, ModelRecord& record, Deferred& deferred) REQUIRES(mutex_);
  // Forgets that versions failed which it is time to try again.
  void RetryFailed(ModelRecord& record) const REQUIRES(mutex_);
  void NoteNotLoaded(ModelRecord& record) const REQUIRES(mutex_);
  void QueueLoad(ModelRecord& record, int64_t version) REQUIRES(mutex_);
  void AdmitLoads(Deferred& deferred) REQUIRES(mutex_);
  bool MakeRoom(ModelRecord& record, int64_t version, Deferred& deferred) REQUIRES(mutex_);
  std::vector<Resident> Residents(std::vector<core::ModelId>& places) const REQUIRES(mutex_);
  void MeasureResidents() const REQUIRES(mutex_);
  void StartLoad(ModelRecord& record, int64_t version) REQUIRES(mutex_);
  void RunLoad(const LoadJob& job, const VersionContent& content);
  base::Result<std::shared_ptr<const core::ModelVersion>> LoadNow(const LoadJob& job);
  void NoteFailure(VersionRecord& version, const VersionContent& content, const base::Status& status) const
      REQUIRES(mutex_);
  void EndServing(const ModelRecord& record, VersionRecord& version, Deferred& deferred) REQUIRES(mutex_);
  base::Status CheckRepository(const std::string& repository) const REQUIRES(mutex_);
  void VersionEnded(const LoadMetrics::Version& ended);
  // The end of a step: starts the loads that there is room for, and publishes. Its cost goes with the models that the
  // step changed, not with those that there are.
  void Conclude(Deferred& deferred) REQUIRES(mutex_);
  void Publish() REQUIRES(mutex_);

  void RunDemands();
  // Requests that still wait are answered.
  void CloseDemands();
  void TakeDemand(core::LoadDemand demand, Deferred& deferred) REQUIRES(mutex_);
  void AnswerWaiters(ModelRecord& record, Deferred& deferred) REQUIRES(mutex_);
  void ExpireWaiters(Deferred& deferred) REQUIRES(mutex_);
  void Answer(core::LoadDemand&& demand, core::LoadOutcome outcome, Deferred& deferred) REQUIRES(mutex_);
  void Refuse(core::LoadDemand&& demand, base::Status status, Deferred& deferred) REQUIRES(mutex_);
  bool InitialSetReady() const REQUIRES(mutex_);
  void UpdateReady() REQUIRES(mutex_);

  const ManagerOptions options_;
  const ManagerServices services_;
  LoadMetrics load_metrics_;  // thread-safe
  const Loader loader_;
  const LazyMetrics lazy_metrics_;
  const std::set<std::string, std::less<>> startup_models_;
  const std::set<std::string, std::less<>> pinned_models_;

  base::Mutex source_mutex_;  // taken before mutex_
  std::unique_ptr<Source> source_ GUARDED_BY(source_mutex_);
  ProblemLog repository_problems_ GUARDED_BY(source_mutex_);

  mutable base::Mutex mutex_;
  mutable base::CondVar changed_;
  std::vector<std::string> repositories_ GUARDED_BY(mutex_);
  ModelRecords records_ GUARDED_BY(mutex_);
  VersionMetrics version_metrics_ GUARDED_BY(mutex_);
  core::CatalogSnapshot::Models published_ GUARDED_BY(mutex_);
  ProblemLog model_problems_ GUARDED_BY(mutex_);             // by model
  std::deque<core::ModelId> room_queue_ GUARDED_BY(mutex_);  // versions that wait for room, or did
  bool started_ GUARDED_BY(mutex_) = false;                  // the first look is done
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool ready_seen_ GUARDED_BY(mutex_) = false;
  int busy_ GUARDED_BY(mutex_) = 0;  // looks and calls being worked on, loads not ended
  uint64_t generations_ GUARDED_BY(mutex_) = 0;
  std::atomic<bool> draining_{false};

  base::Mutex demand_mutex_;  // never taken with another
  base::CondVar demand_arrived_;
  std::vector<core::LoadDemand> demands_ GUARDED_BY(demand_mutex_);
  bool demands_closed_ GUARDED_BY(demand_mutex_) = false;

  std::thread poller_;
  std::thread demand_thread_;  // with lazy loading
  // Joined before the rest goes. Ending a version has a thread of its own, so that an unload never waits for a load.
  base::ThreadPool retire_pool_{"retire", 1};
  base::ThreadPool load_pool_;
};

}  // namespace inferd::repository
