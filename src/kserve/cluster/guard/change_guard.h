#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "kserve/cluster/guard/change_cause.h"
#include "kserve/cluster/guard/destruction.h"
#include "kserve/cluster/guard/pace.h"
#include "kserve/model/status/service_state.h"

namespace inferd::cluster {

// The condition of an owner whose objects are out of date because a destructive change is held.
inline constexpr const char* kHeldNotice = "ObjectsCurrent";

// A change that must wait.
struct HeldChange {
  std::chrono::milliseconds again_in{0};
  model::ObservedCondition notice;  // of type kHeldNotice; its text is constant while the change is held
};

// A change of an owner's objects, before the first write.
struct IntendedChange {
  const ObjectSet& set;
  std::span<const RevisedComponent> revised;
  const DecisionInputs& inputs;
  bool is_move = false;  // the owner moves to another way of serving, which only its user can request
};

// Returns true if the change only ends such a move: it deletes the objects of the old way, and replaces no pods.
// Thread-safe.
bool EndsMove(const IntendedChange& change, const Destruction& destruction);

// Protects running pods from mistakes that affect many services at once. Before the first write for an owner, it finds
// out whether pods would be replaced or objects deleted, and why. It spreads such changes over time, for each cause
// (Pace). A user's change of the owner itself is admitted at once, and so are changes that only create objects. Held
// changes appear in the log, in a condition with an event, and in metrics.
//
//   Check() -> nullopt: write, then NoteApplied() | a HeldChange: write nothing, report it, call Check() again later
//
// Thread-safe for different owners. Check() may block.
class ChangeGuard final {
 public:
  struct Options {
    std::string kind;  // kind of the owners: "InferenceService"
    PaceLimits limits{};
    std::function<size_t()> count_owners{};  // returns the number of existing owners
  };

  // All references must outlive the guard.
  ChangeGuard(Options options, kubernetes::Client& client, const base::Clock& clock, metrics::Registry& metrics,
              base::Logger& logger);
  ~ChangeGuard();
  ChangeGuard(const ChangeGuard&) = delete;
  ChangeGuard& operator=(const ChangeGuard&) = delete;

  // Decides whether the change may be written now. An error means that its effect is unknown: the caller must write
  // nothing.
  kubernetes::ApiResult<std::optional<HeldChange>> Check(const IntendedChange& change, const std::stop_token& stop);
  // Records that all of the change was written.
  void NoteApplied(const kubernetes::ObjectName& owner, DecisionInputs inputs);
  // Call when the owner is deleted, or when another controller manages it.
  void Forget(const kubernetes::ObjectName& owner);
  // Forgets everything. Call when this process begins to lead.
  void Restart();

 private:
  std::optional<HeldChange> Decide(const IntendedChange& change, const Destruction& destruction);
  double Waiting(std::string_view cause_kind) const;
  metrics::Labels LabelsOf(std::string_view cause_kind) const;

  const Options options_;
  kubernetes::Client& client_;
  metrics::Registry& metrics_;
  base::Logger& logger_;
  Pace pace_;
  CauseMemory memory_;
};

}  // namespace inferd::cluster
