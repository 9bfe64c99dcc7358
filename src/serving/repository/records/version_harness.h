#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "serving/core/model/catalog.h"
#include "serving/repository/records/held_memory.h"
#include "storage/tree_stat.h"

namespace inferd::core {
class ModelVersion;
}

namespace inferd::repository {

// The content from which a version is loaded. If two are equal, loading again would give the same result.
struct VersionContent {
  storage::TreeStat shared;
  storage::TreeStat files;
  std::string config_json;  // of a load call
  std::string needed = {};  // the signatures of its dependencies, which it was made to fit

  bool operator==(const VersionContent&) const = default;
};

// The failure of a version's last load, if it failed.
struct LoadFailure {
  bool failed = false;
  VersionContent content;
  base::StatusCode code = base::StatusCode::kOk;  // of the version's reason, if a failed load gave it
  uint32_t times = 0;  // failures of that content in a row; refusals for lack of room do not count
  int64_t at_ns = 0;
  bool by_dependency = false;  // it was not tried: a dependency is missing

  // Returns true if it failed at most `times_max` times, and at least `wait_ns` ago.
  bool Due(int64_t now_ns, uint32_t times_max, int64_t wait_ns) const {
    return failed && times <= times_max && now_ns - at_ns >= wait_ns;
  }
  bool With(const VersionContent& tried) const { return failed && content == tried; }
  void Note(const VersionContent& tried, base::StatusCode why, int64_t now_ns);
  // Returns the time from which a request may have it loaded again. The wait doubles from a second to a minute.
  int64_t RetryNs() const;
};

// The state machine of one version. It owns the states and defines the transitions. An impossible transition is
// refused: it changes nothing, and TakeRefused() reports it. A version rests or is on its way up. Independently of
// that, it serves or does not serve, and earlier loads that take no more requests may not be quite gone.
//
//   resting --QueueForRoom--> waiting for room --BeginLoad--> loading --Serve, Discard, FailLoad--> resting
//      |                          +--LeaveQueue, RefuseLoad--> resting
//      +--WaitToReplace--> waiting to replace --StopWaiting--> resting
//      +--WaitForDependencies--> waiting for dependencies --StopWaiting--> resting
//      +--RefuseLoad--> resting, failed
//
//   not serving --Serve--> serving --EndServing--> not serving      LoadGone: a load that does neither is gone
//
// A reload starts while the version serves, or after that version is gone (config::VersionTransition). If models are
// loaded on demand, a version rests until a request demands it. Not thread-safe: guarded by the manager's lock.
class VersionHarness final {
 public:
  enum class Phase : uint8_t { kResting, kWaitingToReplace, kWaitingForDependencies, kWaitingForRoom, kLoading };
  using Version = std::shared_ptr<const core::ModelVersion>;

  // `demanded` is true if a request or a load call wants the version loaded.
  void SetDemanded(bool demanded) { demanded_ = demanded; }

  // The version is to be loaded, on demand or not, when the version that it replaces is gone. Refused while it serves.
  void WaitToReplace();
  // The version is to be loaded when the models on which it depends are ready.
  void WaitForDependencies(const std::string& why);
  // Ends either wait.
  void StopWaiting();

  // The version is to be loaded when there is room.
  void QueueForRoom();
  // Notes as the reason that other models hold the room.
  void NoteNoRoom();
  void LeaveQueue();
  // Refuses the load of a version that will never fit; or, if it rests, of a version whose dependency is missing.
  void RefuseLoad(const VersionContent& content, const base::Status& why, int64_t now_ns);

  // Begins a load. `held` is the memory that each load of the version holds. Returns false if refused.
  [[nodiscard]] bool BeginLoad(const VersionContent& content, HeldMemory held);
  // Makes the finished load serve. Returns the load that it replaces.
  [[nodiscard]] Version Serve(Version loaded);
  // Drops a finished load that is not wanted any more.
  void DiscardLoad();
  void FailLoad(const base::Status& why, int64_t now_ns);

  // Marks a version that serves only until no other model needs it: new dependents must not rely on it.
  void SetEnding(bool ending) { ending_ = ending && serving_ != nullptr; }
  bool ending() const { return ending_; }
  // Ends the service. Returns the load that served: it takes no more requests, and is gone with its last one.
  [[nodiscard]] Version EndServing();
  // Notes that all parts of one load, which neither served nor was loading, are gone. Returns true if it was the last
  // and the version rests.
  bool LoadGone();

  // Allows the version to be loaded again: in any case, or only if a missing dependency was the failure.
  enum class Cause : uint8_t { kAny, kDependency };
  void ForgetFailure(Cause cause = Cause::kAny) {
    if (cause == Cause::kAny || failure_.by_dependency) failure_.failed = false;
  }
  // Sets the reason "waits for a request", unless there is another one.
  void NoteAsleep();

  // Forgets why a reload failed, if the version serves `content`, which is wanted, and no load is coming.
  void NoteWanted(const VersionContent& content);
  // Notes that the version is not wanted. One that rested because of a missing dependency is now unloaded.
  void NoteUnwanted();

  const Version& serving() const { return serving_; }  // not null if ready
  bool has_served() const { return has_served_; }      // true if it serves, or has served
  Phase phase() const { return phase_; }
  bool demanded() const { return demanded_; }
  const LoadFailure& failure() const { return failure_; }
  const std::string& reason() const { return reason_; }  // why it does not serve, or not the wanted content
  const HeldMemory& held() const { return held_; }       // by each load
  // The number of its loads that hold memory: loading, serving, or held by requests.
  int alive() const { return alive_; }
  // Returns true if it is on its way to serve.
  bool Pending() const { return phase_ != Phase::kResting; }
  bool Serves(const VersionContent& content) const { return serving_ != nullptr && serving_content_ == content; }
  // Returns true if the version has no load and none is coming.
  bool Idle() const { return serving_ == nullptr && alive_ == 0 && !Pending(); }

  // Returns the first transition that was refused since the last call, and the phase at that time. nullopt if none was.
  std::optional<std::string> TakeRefused();

 private:
  // Returns false if the transition is refused.
  bool Allow(bool possible, std::string_view transition);

  Version serving_;
  VersionContent serving_content_;
  Phase phase_ = Phase::kResting;
  Phase refused_in_ = Phase::kResting;
  bool demanded_ = false;
  bool ending_ = false;
  bool has_served_ = false;
  int alive_ = 0;
  HeldMemory held_;
  VersionContent loading_content_;
  LoadFailure failure_;
  std::string reason_;
  std::string_view refused_;
};

std::string_view PhaseName(VersionHarness::Phase phase);
// The state as clients see it.
core::ModelState StateOf(const VersionHarness& version);
// Returns the number of loads that take no more requests.
int LeavingLoads(const VersionHarness& version);

}  // namespace inferd::repository
