#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/queue/queue_policy.h"
#include "serving/scheduling/sequence/sequence_states.h"

namespace inferd::scheduling {

// The place where a sequence's requests are executed: a row of an instance's executions.
struct SequenceSlot {
  size_t lane = 0;  // the instance
  size_t row = 0;
};

// The sequences of one version. Decides which have a slot, which wait for one (the backlog, first come first served),
// and which request of each may run. A sequence lasts from a request with START to the response to that with END, to
// the next START, or until no request has come for too long. Its requests run one at a time and in order, each after
// the response to the one before. A refused or dropped request never leaves a gap that the model does not know of:
// without its START, nothing of a sequence runs.
//
//   waiting for a slot --another ends--> idle --request--> running --answered--> idle or running --END--> ended
//
// Only decides: the caller runs and answers the requests. Not thread-safe. The caller passes the time, which must never
// decrease.
class SequenceTable final {
 public:
  struct Rules {
    std::string model;  // its name
    size_t lanes = 1;
    size_t rows = 1;            // of each lane
    size_t waiting_max = 1024;  // requests
    int64_t idle_ns = 1'000'000'000;
    config::QueuePolicy policy = {};
    // Nothing runs until this many requests wait in slots, and so many for a slot; once. 0 for slots turns it off.
    size_t hold_until = 0;
    size_t hold_until_backlog = 0;
  };
  // The maximum time until a cancelled request leaves.
  static constexpr int64_t kCancelSweepNs = 10'000'000;

  class Sequence;

  // A request that must run now. Call OnAnswered() after its final response.
  struct Start {
    core::QueuedRequest queued;
    Sequence* sequence = nullptr;
    SequenceSlot slot;
  };
  // A request that must never run, and why. With kWait, `status` is the error.
  struct Dropped {
    core::QueuedRequest queued;
    QueueVerdict verdict = QueueVerdict::kWait;
    base::Status status;
  };
  struct Outcome {
    std::vector<Start> starts;
    std::vector<Dropped> dropped;
  };

  struct Counts {
    uint64_t begun = 0;
    uint64_t ended = 0;      // by their last request
    uint64_t restarted = 0;  // by an earlier START
    uint64_t idled = 0;
    uint64_t failed = 0;   // because their first request failed
    uint64_t refused = 0;  // requests
  };

  explicit SequenceTable(Rules rules);
  ~SequenceTable();

  // Adds a request, which then waits, runs or is dropped: this method and the others append that to `outcome`. If it
  // returns an error, it leaves the request alone: INVALID_ARGUMENT if no sequence fits, RESOURCE_EXHAUSTED if there is
  // no room.
  base::Status Add(core::QueuedRequest& queued, int64_t now_ns, Outcome& outcome);
  // Counts a request that was refused elsewhere. With START, it still ends the sequence that it would have restarted.
  void Refuse(const core::Sequence& wanted, int64_t now_ns, Outcome& outcome);
  // Returns true if a request without START would continue an existing sequence.
  bool Has(const core::Sequence& wanted) const;
  // Ends the sequence: no more requests of it will come.
  void End(const core::Sequence& wanted, int64_t now_ns, Outcome& outcome);
  // Returns true if the sequence is over once the running request has been answered. `ok` is true if that succeeded.
  static bool Ends(const Sequence& sequence, bool ok);
  void OnAnswered(Sequence& sequence, bool ok, int64_t now_ns, Outcome& outcome);
  // Returns the sequence's state. Only the running request may use it. Ends with the sequence.
  static KeptState& StateOf(Sequence& sequence);
  // Returns the model's memory_epoch() at the sequence's beginning, for state that the engine keeps. Used like
  // StateOf().
  static uint64_t& EpochOf(Sequence& sequence);
  // Notes that the engine has lost the sequence's state: the sequence then fails with the running request.
  static void Forget(Sequence& sequence);
  // Returns a number that is not the id of any sequence.
  uint64_t NewId();

  // Returns when to call OnTime(). 0 if never.
  int64_t due_ns() const;
  void OnTime(int64_t now_ns, Outcome& outcome);

  size_t slots() const { return rules_.lanes * rules_.rows; }
  size_t active() const { return slots() - free_.size(); }
  size_t backlog() const { return backlog_.size(); }
  bool empty() const { return sequences_.empty(); }
  size_t waiting() const { return waiting_; }
  size_t waiting_max() const { return rules_.waiting_max; }
  const Counts& counts() const { return counts_; }

 private:
  using Id = std::variant<uint64_t, std::string>;
  struct Waiting;

  base::Status CheckFits(const core::QueuedRequest& queued, const Sequence* sequence) const;
  bool StartsAtOnce(const Sequence* sequence) const;
  // For a sequence that runs nothing: starts its next request, makes it wait, or ends it. The sequence may be
  // destroyed.
  void Advance(Sequence& sequence, int64_t now_ns, Outcome& outcome);
  // Drops requests that were given up, and those that lack their START because of it. Stops at the first request that
  // stays, unless `all`.
  void Prune(Sequence& sequence, bool all, int64_t now_ns, Outcome& outcome);
  // Makes the request before the one at `i` the last of its sequence.
  void EndBefore(Sequence& sequence, size_t i);
  void Drop(Sequence& sequence, size_t i, QueueVerdict verdict, base::Status status, Outcome& outcome);
  void StartNext(Sequence& sequence, Outcome& outcome);
  void Remove(Sequence& sequence);
  void ReleaseSlot(Sequence& sequence);
  void FillSlots(int64_t now_ns, Outcome& outcome);
  void SetIdle(Sequence& sequence, bool idle);
  void SetWaitsForSlot(Sequence& sequence, bool waits);
  bool IsHeldLongEnough() const;
  // Starts the requests that were held (Rules::hold_until).
  void LetGo(int64_t now_ns, Outcome& outcome);
  int64_t NextSweepNs(int64_t now_ns) const;
  base::Status MissingStart(const Id& id) const;

  Rules rules_;
  std::unordered_map<Id, std::unique_ptr<Sequence>> sequences_;
  std::set<std::pair<size_t, size_t>> free_;  // row and lane, so that the lanes fill up evenly
  std::list<Sequence*> backlog_;
  std::list<Sequence*> idle_;  // sequences without waiting or running requests, longest first
  size_t waiting_ = 0;         // requests
  uint64_t arrivals_ = 0;
  uint64_t last_new_id_ = 0;
  int64_t sweep_ns_ = 0;
  Counts counts_;
};

}  // namespace inferd::scheduling
