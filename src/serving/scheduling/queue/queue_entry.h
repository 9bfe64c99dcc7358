#pragma once

#include <algorithm>
#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>

#include "base/executor.h"
#include "serving/core/scheduler.h"
#include "serving/scheduling/policy/sharing_limit.h"
#include "serving/scheduling/queue/batch_key.h"
#include "serving/scheduling/queue/queue_policy.h"

namespace inferd::scheduling {

using ListHook = boost::intrusive::list_member_hook<>;

// A request that waits, or runs. Not thread-safe.
struct QueueEntry {
  core::QueuedRequest queued;
  BatchKey key;
  uint64_t level = 1;              // 1: the most urgent
  int64_t timeout_at_ns = 0;       // QueueTimeoutAt; 0: never
  int64_t expires_ns = 0;          // when it leaves the queue with an error; 0: never
  uint64_t arrival = 0;            // counts the scheduler's requests
  bool alone = false;              // never shares an execution (any more)
  bool retry = false;              // of a batch that failed
  base::Executor* loop = nullptr;  // of the thread that brought it, if executions may begin there; null: of none
  size_t slot = 0;                 // of a sequence: its row, where it has one of its own
  bool idle = false;  // no request: a row whose sequence has none just now, and that the engine is told to pass over
  std::shared_ptr<RepeatedBatch> repeated = nullptr;  // that batch; null: it did not get as far as an engine
  bool evicted = false;  // its execution held a connections' thread for too long; not a second time

  // What it counts for where rows are counted: one without any is a request, too.
  int64_t rows() const { return std::max<int64_t>(queued.layout.rows, 1); }

  // Its places in the EntryFifo that holds it.
  ListHook by_arrival;
  ListHook by_key;
};

// Returns when a request that waits leaves its place by itself: it expires, or its timeout passes and it goes behind
// the others. What shares an execution is then another set of requests. 0: never.
inline int64_t LeavesNs(const QueueEntry& entry) { return Earlier(entry.expires_ns, entry.timeout_at_ns); }

}  // namespace inferd::scheduling
