#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serving/core/model/model_id.h"

namespace inferd::core {

// The reason why an execution began at that moment with that number of rows.
enum class BatchReason {
  kNotBatching,    // the model takes one request per execution
  kFull,           // the execution had the maximum of rows, or the next request did not fit
  kPreferredSize,  // a preferred size was reached
  kDelayOver,      // the oldest request had waited for the batch delay
  kDeadline,       // a longer wait would have passed a request's deadline
  kNoneWaiting,    // an instance was idle and there is no batch delay, so nothing to wait for
  kOtherKind,      // the next request cannot share it: another shape, other inputs or parameters
  kQuickSize,      // as many as may run on a connection's thread; the rest wait for the next execution
  kRetry,          // one request, alone, after the batch that it was part of had failed
  kCautious,       // fewer requests than possible, as executions of several requests have failed
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
  bool on_loop = false;  // it ran on the connection's thread
};

// The answer to GET v2/models/M/scheduler. A copy taken at one moment; plain data.
struct SchedulerReport {
  static constexpr size_t kRecentMax = 64;

  struct Level {
    uint64_t level = 0;
    int64_t requests = 0;
    int64_t size_max = 0;
  };
  // The measurements and the choice of batching: AUTO.
  struct Tuning {
    bool active = false;
    int64_t objective_ns = 0;
    double rows_per_second = 0;  // the arrival rate
    int64_t first_row_ns = 0;    // the estimated cost of an execution is a + b * rows: this is a + b, below is b
    int64_t further_row_ns = 0;
    std::string_view explanation;  // static text
  };
  // The consequences of failed executions with several requests.
  struct Sharing {
    uint64_t failed = 0;       // executions whose requests were repeated one by one
    uint64_t repeated = 0;     // the requests in them
    int64_t requests_max = 0;  // current maximum per execution; 0 means no limit
    std::string stopped;       // why requests no longer share executions; empty if they do
  };
  // The adaptive limit. `limit` is 0 if there is none.
  struct Concurrency {
    int64_t limit = 0;
    int64_t min = 0;
    int64_t max = 0;
    int64_t in_flight = 0;
    uint64_t shed = 0;
  };
  // The sequences of a model with sequence_batching.
  struct Sequences {
    std::string_view strategy;  // "direct", "oldest"; empty if there is no sequence_batching
    int64_t slots = 0;          // the maximum of active sequences, over all instances
    int64_t active = 0;         // sequences that have a slot
    int64_t backlog = 0;        // sequences that wait for a slot
    int64_t waiting = 0;        // requests that wait for a slot, or for earlier requests of their sequence
    int64_t waiting_max = 0;
    uint64_t begun = 0;
    uint64_t ended = 0;      // by their last request
    uint64_t restarted = 0;  // by a START before the END
    uint64_t idled = 0;      // ended because no request came for too long
    uint64_t failed = 0;     // ended because their first request failed
    uint64_t refused = 0;    // requests without a matching sequence, or for which there was no room
  };

  // The counts of an ensemble's step, over all requests.
  struct Step {
    // A call that the step makes.
    struct Call {
      std::string model;
      std::string version;  // decimal; empty means the latest
      bool shadow = false;  // runs beside another call; its responses are dropped
      uint64_t taken = 0;
      uint64_t failed = 0;  // of these
    };
    std::vector<Call> calls;   // the first is the step's own
    uint64_t passed_over = 0;  // times that it was skipped: its condition was false, or an input was missing
  };

  ModelId id;  // filled in by the catalog
  bool batching = false;
  std::string batching_reason;           // the reason, for people; filled in by the catalog,
  std::string_view batching_decided_by;  // as is the source of the decision: config::BatchingSourceName
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
  int64_t moved_executions = 0;  // running executions whose thread's connections were moved to another thread
  int64_t inline_held_ns = 0;    // how long the oldest execution on a connection's thread has run so far
  std::array<uint64_t, kBatchReasonCount> executions{};  // by BatchReason, since the version was loaded
  int64_t resource_wait_ns = 0;                          // total wait of all executions for resources that models share
  Sharing sharing;
  Tuning tuning;
  Concurrency concurrency;
  Sequences sequences;
  std::vector<Step> steps;          // only of an ensemble
  std::vector<BatchRecord> recent;  // Scheduler::RecentExecutions; filled in by the catalog
};

}  // namespace inferd::core
