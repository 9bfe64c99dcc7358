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

// What a version is loaded from. Equal: loading again would give the same.
struct VersionContent {
  storage::TreeStat shared;
  storage::TreeStat files;
  std::string config_json;  // of a load call
  std::string needed = {};  // the signatures of the models that it depends on, for it was made to fit them

  bool operator==(const VersionContent&) const = default;
};

// How the last load of a version failed, if it did.
struct LoadFailure {
  bool failed = false;
  VersionContent content;
  base::StatusCode code = base::StatusCode::kOk;  // of the version's reason, where a failed load gave it
  uint32_t times = 0;  // of that content, one after the other; refusals for want of room aside
  int64_t at_ns = 0;
  bool by_dependency = false;  // it was not tried: a model that it depends on is not there

  // No more than so often, and so long ago.
  bool Due(int64_t now_ns, uint32_t times_max, int64_t wait_ns) const {
    return failed && times <= times_max && now_ns - at_ns >= wait_ns;
  }
  bool With(const VersionContent& tried) const { return failed && content == tried; }
  void Note(const VersionContent& tried, base::StatusCode why, int64_t now_ns);
  // When a request may have it loaded again: the wait doubles, from a second to a minute.
  int64_t RetryNs() const;
};

// Owns one version's states, and says which transitions there are: what is impossible is refused, which leaves all as
// it was, and is kept to be told (TakeRefused). A version rests, or is on its way up; beside that it serves or does
// not, and loads that took their last request may not be quite gone.
//
//   resting --QueueForRoom--> waiting for room --BeginLoad--> loading --Serve, Discard, FailLoad--> resting
//      |                          +--LeaveQueue, RefuseLoad--> resting
//      +--WaitToReplace--> waiting to replace --StopWaiting--> resting
//      +--WaitForDependencies--> waiting for dependencies --StopWaiting--> resting
//      +--RefuseLoad--> resting, failed
//
//   not serving --Serve--> serving --EndServing--> not serving      LoadGone: one that neither serves nor loads is gone
//
// A reload goes up while the version serves, or after that is gone (config::VersionTransition). Where models are loaded
// on demand, a version rests until a request demands it. Not thread-safe: guarded by the manager's lock.
class VersionHarness final {
 public:
  enum class Phase : uint8_t { kResting, kWaitingToReplace, kWaitingForDependencies, kWaitingForRoom, kLoading };
  using Version = std::shared_ptr<const core::ModelVersion>;

  // A request or a call has it loaded, or none does.
  void SetDemanded(bool demanded) { demanded_ = demanded; }

  // It is to be loaded when what it replaces is gone, requests or not. Not while it serves.
  void WaitToReplace();
  // It is to be loaded when the models that it depends on are ready.
  void WaitForDependencies(const std::string& why);
  // Neither any more.
  void StopWaiting();

  // It is to be loaded when there is room.
  void QueueForRoom();
  // Other models hold it.
  void NoteNoRoom();
  void LeaveQueue();
  // It will never fit; or, if it rests, a model that it depends on does not come.
  void RefuseLoad(const VersionContent& content, const base::Status& why, int64_t now_ns);

  // `held`: by each load of it. False: refused.
  [[nodiscard]] bool BeginLoad(const VersionContent& content, HeldMemory held);
  // The load came, and serves. What it replaces is returned.
  [[nodiscard]] Version Serve(Version loaded);
  // The load came, and is not wanted any more.
  void DiscardLoad();
  void FailLoad(const base::Status& why, int64_t now_ns);

  // It serves until other models need it no more, and is not to be relied on.
  void SetEnding(bool ending) { ending_ = ending && serving_ != nullptr; }
  bool ending() const { return ending_; }
  // What served is returned: it takes no more requests. It is gone with its last.
  [[nodiscard]] Version EndServing();
  // All that a load made is gone, and it neither serves nor loads. True: that was the last, and the version rests.
  bool LoadGone();

  // It may be loaded again: in any case, or if it was a dependency that did not come.
  enum class Cause : uint8_t { kAny, kDependency };
  void ForgetFailure(Cause cause = Cause::kAny) {
    if (cause == Cause::kAny || failure_.by_dependency) failure_.failed = false;
  }
  // Says that it waits for a request, if nothing else is to be said of it.
  void NoteAsleep();

  const Version& serving() const { return serving_; }  // set: ready
  Phase phase() const { return phase_; }
  bool demanded() const { return demanded_; }
  const LoadFailure& failure() const { return failure_; }
  const std::string& reason() const { return reason_; }  // why it does not serve, or not what is wanted
  const HeldMemory& held() const { return held_; }       // by each of its loads
  // Loads of it that hold memory: loading, serving, or held by requests.
  int alive() const { return alive_; }
  // On its way to serve.
  bool Pending() const { return phase_ != Phase::kResting; }
  bool Serves(const VersionContent& content) const { return serving_ != nullptr && serving_content_ == content; }
  // Nothing of it is there, and nothing comes.
  bool Idle() const { return serving_ == nullptr && alive_ == 0 && !Pending(); }

  // The first transition that was refused since the last call, and in which phase; nothing: none was.
  std::optional<std::string> TakeRefused();

 private:
  // False: refused.
  bool Allow(bool possible, std::string_view transition);

  Version serving_;
  VersionContent serving_content_;
  Phase phase_ = Phase::kResting;
  Phase refused_in_ = Phase::kResting;
  bool demanded_ = false;
  bool ending_ = false;
  int alive_ = 0;
  HeldMemory held_;
  VersionContent loading_content_;
  LoadFailure failure_;
  std::string reason_;
  std::string_view refused_;
};

std::string_view PhaseName(VersionHarness::Phase phase);
// As clients are told.
core::ModelState StateOf(const VersionHarness& version);
// How many of its loads take no more requests.
int LeavingLoads(const VersionHarness& version);

}  // namespace inferd::repository
