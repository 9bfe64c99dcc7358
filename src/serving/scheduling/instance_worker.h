#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/turn.h"
#include "serving/core/engine.h"
#include "serving/core/model/model_id.h"
#include "serving/scheduling/batch/formed_batch.h"
#include "serving/scheduling/resources/instance_place.h"

namespace inferd::scheduling {

// The thread that runs an execution: the instance's own, or the connections' thread that brought the request.
// kWatchedCaller also measures the execution's own CPU use (InlineGate::watching).
enum class Place { kWorker, kCaller, kWatchedCaller };

// An instance and its own thread, for executions that may not run on a connections' thread. The thread starts when it
// is first needed, so models that always run inline cost none. Members marked "locked" are guarded by the scheduler's
// lock.
//
//   idle --wakes--> woken --has its claim, finds nothing--> idle
//                         --has its claim, takes a batch--> busy --nothing more waits--> idle
//   idle --on the caller's thread--> busy --too much for that thread, or takes too long there--> woken
//   busy --as many executions are unfinished as the instance takes--> full --one is finished--> idle
struct InstanceWorker {
  int ordinal = 0;
  std::unique_ptr<core::EngineInstance> instance;
  InstancePlace place;
  base::CondVar wake;
  bool woken = false;   // locked
  bool ending = false;  // locked
  bool full = false;    // locked
  int unfinished_max = 1;
  int ahead_max = 0;                                    // executions that it takes in advance, if they are short
  int unfinished = 0;                                   // locked; executions whose engine answers later
  FormedBatch handed_over;                              // locked
  FormedBatch put_off;                                  // locked; kept for a connections' thread (InstanceCrew)
  int64_t put_off_ns = 0;                               // locked; since when
  std::deque<std::unique_ptr<QueueEntry>> warmups;      // locked; to run on this instance and no other
  BatchExecution::Remains remains;                      // used by the thread that runs the instance; otherwise empty
  InlineRun inline_run;                                 // its execution on a connections' thread
  std::atomic<const base::Turn*> inline_turn{nullptr};  // the turn of that thread; null if it has none
  FormedBatch lone;                                     // used by the thread that runs it as its turn's step
  Place lone_place = Place::kCaller;                    // likewise
  int64_t said_held_ns = 0;                             // locked; the age in the last log report
  bool counts_as_held = false;                          // locked; HeldThreads counts it
  std::thread thread;

  // Executes `batch` on this thread, or resumes it. `on_loop` is true on a connections' thread. Returns false if the
  // rest would take too long for such a thread (FormedBatch::begun_ns). BatchExecution::Finished() says if the engine
  // has finished.
  bool Advance(FormedBatch& batch, int64_t now_ns, bool on_loop);
};

// Describe the executions that run on connections' threads now: "model 'm' version 1 on loop-0" (empty if there are
// none), and the longest time for which one has run. Need no lock, as `workers` never change.
std::string DescribeInline(const std::vector<std::unique_ptr<InstanceWorker>>& workers, const core::ModelId& model);
int64_t LongestInlineNs(const std::vector<std::unique_ptr<InstanceWorker>>& workers, int64_t now_ns);

}  // namespace inferd::scheduling
