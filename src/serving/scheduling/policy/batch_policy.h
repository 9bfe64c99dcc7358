#pragma once

#include <cstdint>
#include <vector>

#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/model/scheduler_report.h"

namespace inferd::scheduling {

// How one model's batches are made (ModelDynamicBatching of the configuration). Times in nanoseconds, of
// base::Clock::NowNs.
struct BatchRules {
  bool batching = false;                // false: every request has an execution of its own
  int64_t rows_max = 1;                 // of one execution; a single request may bring more
  std::vector<int64_t> preferred_rows;  // ascending
  int64_t enough_rows = 0;              // so many need not wait for more; 0: rows_max
  int64_t delay_ns = 0;                 // how long the oldest may wait for further requests
  int64_t hold_until_requests = 0;      // nothing begins before so many wait; 0: no such thing
  int64_t requests_max = 0;             // of one execution (SharingLimit); 0: any number
};

// `delay_until_queued`: SchedulerOptions'. Like Triton's, it holds the requests of models with dynamic batching alone.
BatchRules MakeBatchRules(const config::ModelConfig& config, const core::ModelSignature& signature,
                          int64_t delay_until_queued = 0);

// What waits, as the next execution sees it: from the most urgent request, the oldest of its level.
struct WaitingSummary {
  int64_t requests = 0;  // in all; 0: nothing waits
  int64_t rows = 0;      // of those that can share an execution with the first, its own included
  int64_t sharing = 0;   // how many these are
  // The largest preferred size that the first of these come to, taken one after the other; 0: none; -1: whatever `rows`
  // reach, since none has more than one.
  int64_t preferred_rows = -1;
  bool other_kind = false;  // there are others
  bool alone = false;       // the first shares with nobody
  bool retry = false;       // because a batch it was in failed
  int64_t oldest_ns = 0;    // when the oldest of those that share was queued
  int64_t expires_ns = 0;   // when the first of these expires in the queue; 0: none does
};

// Whether an idle instance begins now, or what it waits for.
struct BatchDecision {
  bool begin = false;
  int64_t rows = 0;      // begin: with as many of the waiting rows, or as fit
  int64_t requests = 0;  // begin: with so many requests at most; 0: any number
  core::BatchReason reason = core::BatchReason::kNotBatching;
  int64_t wait_until_ns = 0;  // !begin: to be asked again then, or when more has come; 0: only then
};

// Work-conserving: an idle instance waits only where a delay is set, and never longer than that. Then it takes all that
// fits, whatever sizes are preferred. It waits less if the first requests come to a preferred size, if the next would
// go beyond the largest of them, if what waits next cannot share the execution anyway, or if one of those that wait
// would expire: `service_ns`, what an execution is likely to take, is left for it. As many as BatchRules::requests_max
// wait for no more.
BatchDecision DecideBatch(const BatchRules& rules, const WaitingSummary& waiting, int64_t now_ns, int64_t service_ns);

}  // namespace inferd::scheduling
