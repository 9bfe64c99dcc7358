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

// Which thread runs an execution: the instance's, or the one that brought the request; there, perhaps, with an eye on
// what the execution itself uses (InlineGate::watching).
enum class Place { kWorker, kCaller, kWatchedCaller };

// An instance, and the thread that runs what may not run on a connection's own. The thread is started when there is
// something for it, so that many models which all run inline cost none. Its scheduler's lock guards what is marked.
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
  int ahead_max = 0;                                    // executions that it takes beyond them, while they are short
  int unfinished = 0;                                   // locked; executions whose engine answers later
  FormedBatch handed_over;                              // locked
  FormedBatch put_off;                                  // locked; a connections' thread is to have it (InstanceCrew)
  int64_t put_off_ns = 0;                               // locked; since when
  std::deque<std::unique_ptr<QueueEntry>> warmups;      // locked; to run on this instance and no other
  BatchExecution::Remains remains;                      // of the thread that runs the instance; empty in between
  InlineRun inline_run;                                 // its execution on a connections' thread
  std::atomic<const base::Turn*> inline_turn{nullptr};  // of that thread; null: it has none
  FormedBatch lone;                                     // of the thread that has it as its turn's step
  Place lone_place = Place::kCaller;                    // likewise
  int64_t said_held_ns = 0;                             // locked; the log has said so
  bool counts_as_held = false;                          // locked; HeldThreads counts it
  std::thread thread;

  // Executes `batch` on this thread, or goes on with it; `on_loop`: a connections' thread. False: there is more of it
  // than such a thread has time for (FormedBatch::begun_ns). Whether the engine has finished, the execution says.
  bool Advance(FormedBatch& batch, int64_t now_ns, bool on_loop);
};

// What runs on connections' threads now: "model 'm' version 1 on loop-0", empty: nothing; and for how long the longest
// has done so. Need no lock: `workers` stay the same.
std::string DescribeInline(const std::vector<std::unique_ptr<InstanceWorker>>& workers, const core::ModelId& model);
int64_t LongestInlineNs(const std::vector<std::unique_ptr<InstanceWorker>>& workers, int64_t now_ns);

}  // namespace inferd::scheduling
