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

// The server's settings, for everything that a model's configuration leaves open.
struct SchedulerOptions {
  uint32_t queue_size_max = 1024;             // of each priority level
  int64_t inline_service_ns_max = 100'000;    // run models below this on the calling thread; 0 means never
  int64_t latency_objective_ns = 10'000'000;  // of batching: AUTO
  // Triton's TRITONSERVER_DELAY_SCHEDULER: with dynamic batching, nothing runs until this many requests are queued,
  // once after the load. 0 turns it off. For sequences: until this many wait in slots and
  // (TRITONSERVER_BACKLOG_DELAY_SCHEDULER) so many in the backlog.
  int64_t delay_until_queued = 0;
  int64_t delay_until_backlog = 0;
  // If true, a request's timeout that its queue policy does not allow is ignored, as in Triton. Otherwise it is an
  // error.
  bool ignores_barred_timeouts = false;
  // If false, instances have no threads, and InstanceScheduler::RunWoken() runs their work. For tests.
  bool threads = true;
};

// The services that all schedulers share. They outlive the schedulers.
struct SchedulerServices {
  const base::Clock& clock;
  DeadlineWatch& deadlines;
  InferenceMetrics& metrics;
  ResourceArbiter& resources;
  const HostPolicies& host_policies;
  HeldThreads& held_threads;
  base::Logger& logger;
  base::ByteBudget* outputs = nullptr;  // the budget for outputs; null if there is none
};

}  // namespace inferd::scheduling
