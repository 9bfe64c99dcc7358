#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "serving/core/model/scheduler_report.h"
#include "serving/scheduling/batch/formed_batch.h"
#include "serving/scheduling/policy/inline_gate.h"
#include "serving/scheduling/queue/level_queue.h"

namespace inferd::scheduling {

// The queue of a version's instances: keeps waiting requests, and forms executions of them. The InstancePool chooses
// the instance and the thread. It asks for the next execution when an instance is free, and reports each finished one.
// A source starts nothing itself, and gets the time from its caller. Not thread-safe: the scheduler's lock guards it.
//
// Entries that leave without having run are appended to `dropped`. The caller answers them once it holds no lock.
class WorkSource {
 public:
  virtual ~WorkSource() = default;

  // Records that a request has come. Next, it goes to Push(), or to FormLone() if BeginsAtOnce().
  virtual void RecordArrival(const QueueEntry& entry) = 0;
  // Decides whether a new request would run now and alone if an instance were idle: no request is before it, and none
  // is worth waiting for. Returns the reason in the report's words, or nullopt if the request must wait.
  virtual std::optional<core::BatchReason> BeginsAtOnce(const QueueEntry& entry) = 0;
  // Forms an execution of a request that has not waited.
  virtual FormedBatch FormLone(std::unique_ptr<QueueEntry> entry, core::BatchReason reason) = 0;

  // Queues the request, or returns it if there is no room.
  virtual std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns,
                                           DroppedEntries& dropped) = 0;
  // Queues members of a failed execution, to run again before all others, each alone. Leaves the vector empty.
  virtual void PushAgain(std::vector<std::unique_ptr<QueueEntry>>& entries) = 0;
  // Takes out the request that would run last, if it is less urgent than `level` and that level has room. Null if there
  // is none.
  virtual std::unique_ptr<QueueEntry> TakeLessUrgent(uint64_t level, int64_t now_ns, DroppedEntries& dropped) = 0;
  // Drops all waiting requests, because no thread can be started to run them.
  virtual void DropAll(int64_t now_ns, DroppedEntries& dropped) = 0;

  // Returns true if there is work for one more idle instance, besides the `woken` ones that are about to ask for some.
  // If there will be work later, due_ns() returns when.
  virtual bool Ready(int64_t woken, int64_t now_ns, DroppedEntries& dropped) = 0;
  // Called while none of the `instances` instances is idle. The source may form executions in advance.
  virtual void FormAhead(size_t instances, int64_t now_ns, DroppedEntries& dropped) = 0;
  // Forms the next execution for a free instance. Empty if there is nothing to run now; due_ns() returns when there may
  // be. If `gate` is not null, the execution runs on a connections' thread, and must not have more rows than `gate`
  // allows. Otherwise it runs on the instance's own thread.
  virtual FormedBatch Take(const InlineGate* gate, int64_t now_ns, DroppedEntries& dropped) = 0;
  // Records that an execution that was formed here has finished. Its record is complete.
  virtual void RecordFinished(const FormedBatch& batch) = 0;

  // Returns when to call OnTime() and then Ready() if nothing happens before. 0 if never.
  virtual int64_t due_ns() const = 0;
  virtual void OnTime(int64_t now_ns, DroppedEntries& dropped) = 0;

  // Returns true if no request waits, and no execution is formed in advance.
  virtual bool empty() const = 0;
  // Returns the maximum number of waiting requests of a level.
  virtual size_t size_max(uint64_t level) const = 0;
  // Fills in the report's fields about the queue, and about how executions are formed.
  virtual void Report(core::SchedulerReport& report) const = 0;
};

}  // namespace inferd::scheduling
