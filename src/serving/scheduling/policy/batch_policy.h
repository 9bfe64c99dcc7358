#pragma once

#include <cstdint>
#include <vector>

#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/model/scheduler_report.h"

namespace inferd::scheduling {

// The rules by which one model's batches are formed (ModelDynamicBatching of the configuration). Times in nanoseconds
// of base::Clock::NowNs.
struct BatchRules {
  bool batching = false;                // false if every request has an execution of its own
  int64_t rows_max = 1;                 // of one execution; a single request may bring more
  std::vector<int64_t> preferred_rows;  // ascending
  int64_t enough_rows = 0;              // with this many rows, none waits for more; 0 means rows_max
  int64_t delay_ns = 0;                 // the batch delay: how long the oldest request may wait for more
  int64_t hold_until_requests = 0;      // nothing begins before this many requests wait; 0 turns it off
  int64_t requests_max = 0;             // per execution (SharingLimit); 0 means no limit
};

// Makes the rules. `delay_until_queued` is SchedulerOptions'. As in Triton, it only affects models with dynamic
// batching.
BatchRules MakeBatchRules(const config::ModelConfig& config, const core::ModelSignature& signature,
                          int64_t delay_until_queued = 0);

// A summary of the queue for the next execution. "The first" is the oldest request of the most urgent level.
struct WaitingSummary {
  int64_t requests = 0;  // in total; 0 if nothing waits
  int64_t rows = 0;      // of the requests that can share an execution with the first, including it
  int64_t sharing = 0;   // the number of these requests
  // The largest preferred size that these requests, taken in order, add up to. 0 if none. -1 if every request has one
  // row, so that any size up to `rows` is reached.
  int64_t preferred_rows = -1;
  bool other_kind = false;  // other requests wait that cannot share it
  bool alone = false;       // the first must run alone
  bool retry = false;       // and does so because a batch that it was part of failed
  int64_t oldest_ns = 0;    // when the oldest of the sharing requests was queued
  int64_t expires_ns = 0;   // when the first of them expires in the queue; 0 if never
};

// The decision whether an idle instance begins an execution now, or until when it waits.
struct BatchDecision {
  bool begin = false;
  int64_t rows = 0;      // if begin: the maximum of rows to take from the queue
  int64_t requests = 0;  // if begin: the maximum of requests; 0 means no limit
  core::BatchReason reason = core::BatchReason::kNotBatching;
  int64_t wait_until_ns = 0;  // if not begin: ask again then, or when a request comes; 0 means only then
};

// Decides on the next execution. Work-conserving: an idle instance waits only if there is a batch delay, and never
// longer than that. After the delay it takes every request that fits, whatever the preferred sizes. It waits less in
// four cases: the first requests add up to a preferred size; the next request would exceed the largest one; the next
// request cannot share the execution anyway; or a waiting request would expire, with `service_ns`, the expected time of
// an execution, left for it. BatchRules::requests_max requests never wait for more.
BatchDecision DecideBatch(const BatchRules& rules, const WaitingSummary& waiting, int64_t now_ns, int64_t service_ns);

}  // namespace inferd::scheduling
