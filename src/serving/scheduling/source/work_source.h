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

// What runs next on a version's instances: keeps the requests that wait, and makes executions of them. Which instance
// runs an execution, and on which thread, is up to the InstancePool. That asks for the next one when an instance is
// free, and tells of each that has finished. A source starts nothing by itself, and is told the time. Not thread-safe:
// the scheduler's lock guards it.
//
// Entries that leave without having run are appended to `dropped`, and are answered once no lock is held.
class WorkSource {
 public:
  virtual ~WorkSource() = default;

  // A request has come. It is given to Push() next, or to FormLone() if BeginsAtOnce().
  virtual void RecordArrival(const QueueEntry& entry) = 0;
  // Whether a request that has just come would run now and by itself, were an instance idle: there is none before it,
  // and none to wait for. Why, in the report's words; none: it is to wait.
  virtual std::optional<core::BatchReason> BeginsAtOnce(const QueueEntry& entry) = 0;
  // An execution of a request that has not waited.
  virtual FormedBatch FormLone(std::unique_ptr<QueueEntry> entry, core::BatchReason reason) = 0;

  // The request waits. Gives it back if there is no room for it.
  virtual std::unique_ptr<QueueEntry> Push(std::unique_ptr<QueueEntry> entry, int64_t now_ns,
                                           DroppedEntries& dropped) = 0;
  // Members of an execution that failed, each to run again by itself, before all others. Leaves the vector empty.
  virtual void PushAgain(std::vector<std::unique_ptr<QueueEntry>>& entries) = 0;
  // The request that would run last, if it is less urgent than `level`, and that has room; null: there is none.
  virtual std::unique_ptr<QueueEntry> TakeLessUrgent(uint64_t level, int64_t now_ns, DroppedEntries& dropped) = 0;
  // Gives up all that waits, as no thread is to be had that would run it.
  virtual void DropAll(int64_t now_ns, DroppedEntries& dropped) = 0;

  // Whether there is work for an idle instance beside `woken` others, which are about to ask for some. If there will be
  // by waiting for it, due_ns() says when.
  virtual bool Ready(int64_t woken, int64_t now_ns, DroppedEntries& dropped) = 0;
  // No instance is idle, of so many: the source may form executions that they find ready.
  virtual void FormAhead(size_t instances, int64_t now_ns, DroppedEntries& dropped) = 0;
  // The next execution of an instance that is free; none: there is nothing to run, or not before due_ns(). `gate`: it
  // is to run on a connections' thread, and have no more rows than may run there; null: on the instance's own thread.
  virtual FormedBatch Take(const InlineGate* gate, int64_t now_ns, DroppedEntries& dropped) = 0;
  // An execution that was formed here has finished. Its record is complete.
  virtual void RecordFinished(const FormedBatch& batch) = 0;

  // When OnTime() is to be called, and Ready() asked again, if nothing happens before; 0: never.
  virtual int64_t due_ns() const = 0;
  virtual void OnTime(int64_t now_ns, DroppedEntries& dropped) = 0;

  // Neither does a request wait, nor is there an execution that was formed ahead.
  virtual bool empty() const = 0;
  // How many requests of a level may wait.
  virtual size_t size_max(uint64_t level) const = 0;
  // Fills in what the report says of what waits, and of how executions are formed.
  virtual void Report(core::SchedulerReport& report) const = 0;
};

}  // namespace inferd::scheduling
