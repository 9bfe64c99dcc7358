#include "serving/repository/records/version_harness.h"

#include <algorithm>
#include <utility>

namespace inferd::repository {

namespace {

constexpr int64_t kRetryNsMin = 1'000'000'000;
constexpr int64_t kRetryNsMax = 60'000'000'000;

constexpr std::string_view kWaitsToReplace = "waits for what it replaces to be gone";
constexpr std::string_view kWaitsForRoom = "waits for memory that other models hold";
constexpr std::string_view kAsleep = "not loaded: waits for a request";

}  // namespace

void LoadFailure::Note(const VersionContent& tried, base::StatusCode why, int64_t now_ns) {
  failed = true;
  content = tried;
  by_dependency = false;
  code = why;
  at_ns = now_ns;
}

int64_t LoadFailure::RetryNs() const {
  if (times == 0 || by_dependency) return at_ns;
  return at_ns + std::min(kRetryNsMin << std::min(times - 1, 6U), kRetryNsMax);
}

std::string_view PhaseName(VersionHarness::Phase phase) {
  using Phase = VersionHarness::Phase;
  switch (phase) {
    case Phase::kResting: return "resting";
    case Phase::kWaitingToReplace: return "waiting to replace";
    case Phase::kWaitingForDependencies: return "waiting for dependencies";
    case Phase::kWaitingForRoom: return "waiting for room";
    case Phase::kLoading: return "loading";
  }
  std::unreachable();
}

bool VersionHarness::Allow(bool possible, std::string_view transition) {
  if (!possible && refused_.empty()) {
    refused_ = transition;
    refused_in_ = phase_;
  }
  return possible;
}

std::optional<std::string> VersionHarness::TakeRefused() {
  if (refused_.empty()) return std::nullopt;
  return std::string(std::exchange(refused_, {})) + " while " + std::string(PhaseName(refused_in_));
}

void VersionHarness::WaitToReplace() {
  if (!Allow(phase_ == Phase::kResting && serving_ == nullptr, "WaitToReplace")) return;
  phase_ = Phase::kWaitingToReplace;
  demanded_ = true;
  reason_ = kWaitsToReplace;
}

void VersionHarness::WaitForDependencies(const std::string& why) {
  if (!Allow(phase_ == Phase::kResting, "WaitForDependencies")) return;
  phase_ = Phase::kWaitingForDependencies;
  reason_ = why;
}

void VersionHarness::StopWaiting() {
  const bool waits = phase_ == Phase::kWaitingToReplace || phase_ == Phase::kWaitingForDependencies;
  if (!Allow(waits, "StopWaiting")) return;
  phase_ = Phase::kResting;
  reason_.clear();
}

void VersionHarness::QueueForRoom() {
  if (!Allow(phase_ == Phase::kResting, "QueueForRoom")) return;
  phase_ = Phase::kWaitingForRoom;
}

void VersionHarness::NoteNoRoom() {
  if (!Allow(phase_ == Phase::kWaitingForRoom, "NoteNoRoom")) return;
  reason_ = kWaitsForRoom;
}

void VersionHarness::LeaveQueue() {
  if (!Allow(phase_ == Phase::kWaitingForRoom, "LeaveQueue")) return;
  phase_ = Phase::kResting;
}

void VersionHarness::RefuseLoad(const VersionContent& content, const base::Status& why, int64_t now_ns) {
  const bool for_dependency = phase_ == Phase::kResting;
  if (!Allow(for_dependency || phase_ == Phase::kWaitingForRoom, "RefuseLoad")) return;
  phase_ = Phase::kResting;
  demanded_ = false;
  failure_.Note(content, why.code(), now_ns);
  failure_.by_dependency = for_dependency;
  reason_ = why.message();
}

bool VersionHarness::BeginLoad(const VersionContent& content, HeldMemory held) {
  if (!Allow(phase_ == Phase::kWaitingForRoom, "BeginLoad")) return false;
  phase_ = Phase::kLoading;
  if (reason_ == kWaitsForRoom || reason_ == kAsleep || failure_.by_dependency) reason_.clear();
  held_ = std::move(held);
  loading_content_ = content;
  failure_.failed = false;
  ++alive_;
  return true;
}

VersionHarness::Version VersionHarness::Serve(Version loaded) {
  if (!Allow(phase_ == Phase::kLoading && loaded != nullptr, "Serve")) return loaded;
  phase_ = Phase::kResting;
  serving_.swap(loaded);
  has_served_ = true;
  ending_ = false;
  serving_content_ = std::move(loading_content_);
  reason_.clear();
  failure_.code = base::StatusCode::kOk;
  failure_.times = 0;
  return loaded;
}

void VersionHarness::DiscardLoad() {
  if (!Allow(phase_ == Phase::kLoading, "DiscardLoad")) return;
  phase_ = Phase::kResting;
}

void VersionHarness::FailLoad(const base::Status& why, int64_t now_ns) {
  if (!Allow(phase_ == Phase::kLoading, "FailLoad")) return;
  phase_ = Phase::kResting;
  if (failure_.content != loading_content_) failure_.times = 0;
  ++failure_.times;
  demanded_ = false;
  failure_.Note(loading_content_, why.code(), now_ns);
  reason_ = why.message();
}

VersionHarness::Version VersionHarness::EndServing() {
  if (!Allow(serving_ != nullptr, "EndServing")) return nullptr;
  failure_.failed = false;
  failure_.code = base::StatusCode::kOk;
  reason_ = "unloading";
  ending_ = false;
  return std::exchange(serving_, nullptr);
}

bool VersionHarness::LoadGone() {
  if (!Allow(LeavingLoads(*this) > 0, "LoadGone")) return false;
  --alive_;
  if (!Idle() || failure_.failed) return false;
  reason_ = "unloaded";
  return true;
}

void VersionHarness::NoteWanted(const VersionContent& content) {
  if (!Serves(content) || Pending()) return;
  failure_.failed = false;
  failure_.code = base::StatusCode::kOk;
  reason_.clear();
}

void VersionHarness::NoteUnwanted() {
  if (Idle() && has_served_ && failure_.by_dependency && !failure_.failed) reason_ = "unloaded";
}

void VersionHarness::NoteAsleep() {
  if (Idle() && !failure_.failed) reason_ = kAsleep;
}

int LeavingLoads(const VersionHarness& version) {
  const bool loading = version.phase() == VersionHarness::Phase::kLoading;
  return version.alive() - (version.serving() == nullptr ? 0 : 1) - (loading ? 1 : 0);
}

core::ModelState StateOf(const VersionHarness& version) {
  if (version.serving() != nullptr) return core::ModelState::kReady;
  if (version.Pending()) return core::ModelState::kLoading;
  if (version.alive() > 0 && !version.failure().failed) return core::ModelState::kUnloading;
  return core::ModelState::kUnavailable;
}

}  // namespace inferd::repository
