#pragma once

#include <cstdint>

#include "base/byte_budget.h"
#include "base/clock.h"
#include "base/logging.h"
#include "serving/scheduling/metrics/inference_metrics.h"
#include "serving/scheduling/resources/host_policies.h"
#include "serving/scheduling/resources/resource_arbiter.h"

namespace inferd::scheduling {

class DeadlineWatch;
class HeldThreads;

// What the server says, where a model's configuration does not.
struct SchedulerOptions {
  uint32_t queue_size_max = 1024;             // of each priority level
  int64_t inline_service_ns_max = 100'000;    // run models below this on the calling thread; 0: never
  int64_t latency_objective_ns = 10'000'000;  // of batching: AUTO
  // Triton's TRITONSERVER_DELAY_SCHEDULER: with dynamic batching, nothing runs before so many requests wait, once; 0:
  // no such thing. Of sequences: before so many wait in slots and, TRITONSERVER_BACKLOG_DELAY_SCHEDULER, so many for
  // one.
  int64_t delay_until_queued = 0;
  int64_t delay_until_backlog = 0;
  // As Triton: a request's timeout that its queue policy does not allow counts for nothing. Else it is an error.
  bool ignores_barred_timeouts = false;
  // False: instances have no threads, and run what is theirs in InstanceScheduler::RunWoken(), for tests.
  bool threads = true;
};

// What every scheduler shares. All outlive the schedulers.
struct SchedulerServices {
  const base::Clock& clock;
  DeadlineWatch& deadlines;
  InferenceMetrics& metrics;
  ResourceArbiter& resources;
  const HostPolicies& host_policies;
  HeldThreads& held_threads;
  base::Logger& logger;
  base::ByteBudget* outputs = nullptr;  // what outputs are charged to; null: nothing
};

}  // namespace inferd::scheduling
