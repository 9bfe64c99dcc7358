#include "kserve/clustergateway/scaling/scale_writer.h"

#include <utility>

namespace inferd::clustergateway {

using kubernetes::ObjectName;

ScaleWriter::ScaleWriter(Write write, base::Logger& logger, metrics::Registry& registry)
    : write_(std::move(write)),
      logger_(logger),
      written_(registry.AddCounter("inferd_gateway_scale_writes_total", "Numbers of pods that were written", {})),
      failed_(
          registry.AddCounter("inferd_gateway_scale_failures_total", "Numbers of pods that could not be written", {})),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void ScaleWriter::Order(const ObjectName& deployment, ScaleOrder order) {
  {
    const std::lock_guard lock(mutex_);
    orders_[deployment] = std::move(order);
  }
  wake_.notify_one();
}

void ScaleWriter::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, stop, [this] { return !orders_.empty(); })) {
    auto next = orders_.extract(orders_.begin());
    lock.unlock();
    Do(next.key(), next.mapped(), stop);
    lock.lock();
  }
}

void ScaleWriter::Do(const ObjectName& deployment, const ScaleOrder& order, const std::stop_token& stop) {
  const auto written = write_(deployment, order, stop);
  if (written.has_value()) {
    written_->Add();
    logger_.Info("scaled",
                 {{"namespace", deployment.namespace_name}, {"revision", deployment.name}, {"pods", order.replicas}});
    return;
  }
  // The Deployment was changed or deleted meanwhile. Its new state will arrive by the watch.
  if (written.error().is_conflict() || written.error().is_not_found() || stop.stop_requested()) return;
  failed_->Add();
  logger_.Warning("cannot scale", {{"namespace", deployment.namespace_name},
                                   {"revision", deployment.name},
                                   {"reason", written.error().ToString()}});
}

}  // namespace inferd::clustergateway
