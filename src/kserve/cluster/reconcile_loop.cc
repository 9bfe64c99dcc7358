#include "kserve/cluster/reconcile_loop.h"

#include <utility>

#include "base/thread_pool.h"

namespace inferd::cluster {

namespace {

constexpr const char* kReconciles = "inferd_controller_reconciles_total";
constexpr const char* kReconcilesHelp = "How often an object was looked at, by what came of it";
constexpr const char* kDepth = "inferd_controller_queue_depth";
constexpr const char* kRetries = "inferd_controller_queue_retries";
constexpr double kNsPerSecond = 1e9;

}  // namespace

ReconcileLoop::ReconcileLoop(const std::string& kind, size_t threads, WorkQueue& queue, Reconcile reconcile,
                             const base::Clock& clock, metrics::Registry& metrics)
    : labels_({{"kind", kind}}),
      queue_(queue),
      reconcile_(std::move(reconcile)),
      clock_(clock),
      metrics_(metrics),
      done_(metrics.AddCounter(kReconciles, kReconcilesHelp, {{"kind", kind}, {"result", "done"}})),
      retried_(metrics.AddCounter(kReconciles, kReconcilesHelp, {{"kind", kind}, {"result", "retry"}})),
      seconds_(metrics.AddHistogram("inferd_controller_reconcile_seconds", "How long it took to look at an object",
                                    labels_, metrics::LatencyBoundsSeconds())) {
  using enum metrics::Registry::CallbackKind;
  metrics_.AddCallback(kGauge, kDepth, "Objects that wait to be looked at", labels_,
                       [&queue] { return static_cast<double>(queue.waiting()); });
  metrics_.AddCallback(kGauge, kRetries, "Objects that failed when they were looked at last", labels_,
                       [&queue] { return static_cast<double>(queue.retries()); });
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Run(stop); });
  }
}

ReconcileLoop::~ReconcileLoop() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
  metrics_.RemoveSeries(kDepth, labels_);
  metrics_.RemoveSeries(kRetries, labels_);
}

void ReconcileLoop::Run(const std::stop_token& stop) {
  base::SetThreadName("reconcile");
  while (const auto name = queue_.Take(stop)) {
    const int64_t begun_ns = clock_.NowNs();
    const Outcome outcome = reconcile_(*name, stop);
    seconds_->Observe(static_cast<double>(clock_.NowNs() - begun_ns) / kNsPerSecond);
    if (outcome.retry) {
      retried_->Add();
      queue_.Retry(*name);
      continue;
    }
    done_->Add();
    queue_.Done(*name);
    if (outcome.again_in.has_value()) queue_.AddAfter(*name, *outcome.again_in);
  }
}

}  // namespace inferd::cluster
