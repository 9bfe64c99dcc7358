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

// A request that waits or runs. Not thread-safe.
struct QueueEntry {
  core::QueuedRequest queued;
  BatchKey key;
  uint64_t level = 1;              // 1 is the most urgent
  int64_t timeout_at_ns = 0;       // as from QueueTimeoutAt; 0 if never
  int64_t expires_ns = 0;          // when it leaves the queue with an error; 0 if never
  uint64_t arrival = 0;            // the scheduler's request number
  bool alone = false;              // never shares an execution (any more)
  bool retry = false;              // it was part of a batch that failed
  base::Executor* loop = nullptr;  // of the thread that brought it, if executions may begin there; else null
  size_t slot = 0;                 // only with sequences: its row, if the sequence has a fixed one
  bool idle = false;               // no request: the row of a sequence without one now, which the engine must skip
  std::shared_ptr<RepeatedBatch> repeated = nullptr;  // the failed batch; null if it did not reach an engine
  bool evicted = false;  // its execution held a connections' thread for too long once; it runs there no more

  // Returns the number of rows that it counts for. A request without rows counts as one.
  int64_t rows() const { return std::max<int64_t>(queued.layout.rows, 1); }

  // Its links in the EntryFifo that holds it.
  ListHook by_arrival;
  ListHook by_key;
};

// Returns when a waiting request leaves its place by itself: it expires, or its timeout passes and it moves behind the
// others. The requests that share an execution then change. 0 if never.
inline int64_t LeavesNs(const QueueEntry& entry) { return Earlier(entry.expires_ns, entry.timeout_at_ns); }

}  // namespace inferd::scheduling
