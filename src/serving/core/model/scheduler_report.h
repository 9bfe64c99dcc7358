#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serving/core/model/model_id.h"

namespace inferd::core {

// Why an execution began when it did, with as many rows as it had.
enum class BatchReason {
  kNotBatching,    // one request per execution is all that this model does
  kFull,           // as many rows as an execution may have, or the next request did not fit any more
  kPreferredSize,  // a preferred size was reached
  kDelayOver,      // the oldest request had waited for as long as it may
  kDeadline,       // waiting longer would have been too late for one of them
  kNoneWaiting,    // an instance was idle, and no delay is set: there was nobody to wait for
  kOtherKind,      // what waits next cannot share it: another shape, other inputs or parameters
  kQuickSize,      // as many as may run on a connection's thread: others were left for the next
  kRetry,          // alone, after the batch it was part of failed
  kCautious,       // fewer requests than could have shared it, as executions of several have failed
};
inline constexpr size_t kBatchReasonCount = 10;
std::string_view BatchReasonName(BatchReason reason);  // "full", "preferred_size", ...

// One execution, as the report shows it. Times in nanoseconds.
struct BatchRecord {
  int64_t started_wall_ms = 0;  // since the epoch
  int64_t rows = 0;
  int64_t requests = 0;
  BatchReason reason = BatchReason::kNotBatching;
  int64_t oldest_waited_ns = 0;
  int64_t service_ns = 0;
  int64_t left_waiting = 0;  // requests still in the queue when it began
  int instance = 0;
  bool on_loop = false;  // on the thread of the connection
};

// What GET v2/models/M/scheduler shows. A copy taken at one moment; plain data.
struct SchedulerReport {
  static constexpr size_t kRecentMax = 64;

  struct Level {
    uint64_t level = 0;
    int64_t requests = 0;
    int64_t size_max = 0;
  };
  // What batching: AUTO has measured and chosen.
  struct Tuning {
    bool active = false;
    int64_t objective_ns = 0;
    double rows_per_second = 0;  // what arrives
    int64_t first_row_ns = 0;    // a + b * rows: what an execution is taken to cost
    int64_t further_row_ns = 0;
    std::string_view explanation;  // static text
  };
  // What executions of several requests that failed have led to.
  struct Sharing {
    uint64_t failed = 0;       // executions whose requests were repeated one by one
    uint64_t repeated = 0;     // those requests
    int64_t requests_max = 0;  // that share an execution for the time being; 0: any number
    std::string stopped;       // why no requests share any more; empty: they may
  };
  // The adaptive limit; `limit` 0: there is none.
  struct Concurrency {
    int64_t limit = 0;
    int64_t min = 0;
    int64_t max = 0;
    int64_t in_flight = 0;
    uint64_t shed = 0;
  };
  // Of a model with sequence_batching.
  struct Sequences {
    std::string_view strategy;  // "direct", "oldest"; empty: there is no sequence_batching
    int64_t slots = 0;          // how many sequences may be active, over all instances
    int64_t active = 0;         // sequences that have a slot
    int64_t backlog = 0;        // sequences that wait for one
    int64_t waiting = 0;        // requests that wait for a slot, or for those before them of their sequence
    int64_t waiting_max = 0;
    uint64_t begun = 0;
    uint64_t ended = 0;      // by the last request of it
    uint64_t restarted = 0;  // by a START before the END
    uint64_t idled = 0;      // ended since no request came for too long
    uint64_t failed = 0;     // ended as the first request of it failed
    uint64_t refused = 0;    // requests that fit to no sequence, or for which there was no room
  };

  // Of an ensemble: what became of a step, over all requests.
  struct Step {
    // What it calls.
    struct Call {
      std::string model;
      std::string version;  // decimal; empty: the latest
      bool shadow = false;  // beside another; its answers are dropped
      uint64_t taken = 0;
      uint64_t failed = 0;  // of these
    };
    std::vector<Call> calls;   // the first is the step's own
    uint64_t passed_over = 0;  // times that it was not taken: its condition did not hold, or what it takes did not come
  };

  ModelId id;  // filled in by the catalog
  bool batching = false;
  std::string batching_reason;           // why, for people; filled in by the catalog,
  std::string_view batching_decided_by;  // as is what has decided it: config::BatchingSourceName
  bool preserve_order = false;
  int64_t rows_max = 1;  // of one execution
  std::vector<int64_t> preferred_rows;
  int64_t delay_ns = 0;
  int instances = 0;
  int busy_instances = 0;
  std::vector<Level> levels;
  int64_t mean_service_ns = 0;
  bool inline_open = false;  // lone requests run on their connection's thread
  uint64_t inline_executions = 0;
  int64_t moved_executions = 0;  // that run, and whose threads' connections other threads have
  int64_t inline_held_ns = 0;    // for how long the longest of those that run there now has had its thread
  std::array<uint64_t, kBatchReasonCount> executions{};  // by BatchReason, since the version was loaded
  int64_t resource_wait_ns = 0;                          // of all executions, for what is shared with other models
  Sharing sharing;
  Tuning tuning;
  Concurrency concurrency;
  Sequences sequences;
  std::vector<Step> steps;          // of an ensemble
  std::vector<BatchRecord> recent;  // Scheduler::RecentExecutions; filled in by the catalog
};

}  // namespace inferd::core
