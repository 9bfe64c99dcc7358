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

// Where the requests of a sequence are executed: a row of an instance's executions, of those that an instance has.
struct SequenceSlot {
  size_t lane = 0;  // the instance
  size_t row = 0;
};

// The sequences of one version: which have a slot and which wait for one (the backlog, first come first served), and
// which request of each may run. A sequence lasts from a request with START to the answer of that with END, to the next
// START, or until no request has come for too long; its requests run one at a time and in order, each once the one
// before is answered. What is refused or given up leaves no gap that the model would not know of: without its START,
// nothing of a sequence runs.
//
//   waiting for a slot --another ends--> idle --request--> running --answered--> idle or running --END--> ended
//
// Decides only: others run what it says, and answer. Not thread-safe; is told the time, which never goes back.
class SequenceTable final {
 public:
  struct Rules {
    std::string model;  // its name
    size_t lanes = 1;
    size_t rows = 1;            // of each lane
    size_t waiting_max = 1024;  // requests
    int64_t idle_ns = 1'000'000'000;
    config::QueuePolicy policy = {};
    // Nothing runs before so many requests wait in slots, and so many for one, once; 0 in slots: no such thing.
    size_t hold_until = 0;
    size_t hold_until_backlog = 0;
  };
  // How soon a cancelled request leaves.
  static constexpr int64_t kCancelSweepNs = 10'000'000;

  class Sequence;

  // A request that runs now; OnAnswered() follows its final answer.
  struct Start {
    core::QueuedRequest queued;
    Sequence* sequence = nullptr;
    SequenceSlot slot;
  };
  // One that never will, and why: kWait stands for `status`.
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
    uint64_t restarted = 0;  // by a START before that
    uint64_t idled = 0;
    uint64_t failed = 0;   // with their first request
    uint64_t refused = 0;  // requests
  };

  explicit SequenceTable(Rules rules);
  ~SequenceTable();

  // The request waits, runs or is dropped, as `outcome` says, to which this and the other methods append. An error: it
  // fits to no sequence (INVALID_ARGUMENT), or there is no room (RESOURCE_EXHAUSTED), and is left alone.
  base::Status Add(core::QueuedRequest& queued, int64_t now_ns, Outcome& outcome);
  // Of a request that is refused elsewhere: what it was to begin anew has ended.
  void Refuse(const core::Sequence& wanted, int64_t now_ns, Outcome& outcome);
  // Whether a request without START goes on with a sequence.
  bool Has(const core::Sequence& wanted) const;
  // The last request of the sequence has come.
  void End(const core::Sequence& wanted, int64_t now_ns, Outcome& outcome);
  // Whether it is over once the request that runs has been answered so.
  static bool Ends(const Sequence& sequence, bool ok);
  void OnAnswered(Sequence& sequence, bool ok, int64_t now_ns, Outcome& outcome);
  // The request that runs has it to itself. Ends with the sequence.
  static KeptState& StateOf(Sequence& sequence);
  // The same, for what the engine keeps of it: the model's memory_epoch() when it began.
  static uint64_t& EpochOf(Sequence& sequence);
  // What the engine kept of it is lost: it fails with the request that runs, as with a first one.
  static void Forget(Sequence& sequence);
  // A number that is the id of no sequence.
  uint64_t NewId();

  // When OnTime() is to be called; 0: never.
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
  // Of a sequence of which nothing runs: starts its next request, or has it wait, or ends it, which may be its end.
  void Advance(Sequence& sequence, int64_t now_ns, Outcome& outcome);
  // Drops what has been given up, and what that leaves without its START: as far as the first request that stays, or
  // all of it.
  void Prune(Sequence& sequence, bool all, int64_t now_ns, Outcome& outcome);
  // What comes before the request at `i` is all there is of its sequence.
  void EndBefore(Sequence& sequence, size_t i);
  void Drop(Sequence& sequence, size_t i, QueueVerdict verdict, base::Status status, Outcome& outcome);
  void StartNext(Sequence& sequence, Outcome& outcome);
  void Remove(Sequence& sequence);
  void ReleaseSlot(Sequence& sequence);
  void FillSlots(int64_t now_ns, Outcome& outcome);
  void SetIdle(Sequence& sequence, bool idle);
  void SetWaitsForSlot(Sequence& sequence, bool waits);
  bool IsHeldLongEnough() const;
  // Lets what was held go.
  void LetGo(int64_t now_ns, Outcome& outcome);
  int64_t NextSweepNs(int64_t now_ns) const;
  base::Status MissingStart(const Id& id) const;

  Rules rules_;
  std::unordered_map<Id, std::unique_ptr<Sequence>> sequences_;
  std::set<std::pair<size_t, size_t>> free_;  // row and lane: the lanes fill up evenly
  std::list<Sequence*> backlog_;
  std::list<Sequence*> idle_;  // nothing of them waits or runs; since the longest first
  size_t waiting_ = 0;         // requests
  uint64_t arrivals_ = 0;
  uint64_t last_new_id_ = 0;
  int64_t sweep_ns_ = 0;
  Counts counts_;
};

}  // namespace inferd::scheduling
