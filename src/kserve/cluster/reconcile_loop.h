#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/metrics/registry.h"
#include "kserve/cluster/queue/outcome.h"
#include "kserve/cluster/queue/work_queue.h"

namespace inferd::cluster {

// Threads that take names from a queue and reconcile them. They start with the constructor. The destructor requests a
// stop of running calls and waits for them.
class ReconcileLoop final {
 public:
  using Reconcile = std::function<Outcome(const kubernetes::ObjectName&, const std::stop_token&)>;

  // `kind` labels the metrics. The queue, the clock and the registry must outlive the loop.
  ReconcileLoop(const std::string& kind, size_t threads, WorkQueue& queue, Reconcile reconcile,
                const base::Clock& clock, metrics::Registry& metrics);
  ~ReconcileLoop();

 private:
  void Run(const std::stop_token& stop);

  const metrics::Labels labels_;
  WorkQueue& queue_;
  const Reconcile reconcile_;
  const base::Clock& clock_;
  metrics::Registry& metrics_;
  const std::shared_ptr<metrics::Counter> done_;
  const std::shared_ptr<metrics::Counter> retried_;
  const std::shared_ptr<metrics::Histogram> seconds_;
  std::vector<std::jthread> threads_;
};

}  // namespace inferd::cluster
