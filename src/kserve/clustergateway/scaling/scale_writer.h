#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "kserve/kubernetes/client/client.h"

namespace inferd::clustergateway {

// How many pods a Deployment is to have.
struct ScaleOrder {
  int64_t replicas = 0;
  std::string resource_version;  // only if the Deployment is as it was then; empty: whatever it is
};

// Writes how many pods Deployments are to have, on a thread of its own, since the API server may take its time. Of
// orders for one Deployment that wait, the last counts. What fails is said, and not tried again: who ordered it looks
// again. Thread-safe.
class ScaleWriter final {
 public:
  using Write = std::function<kubernetes::ApiResult<void>(const kubernetes::ObjectName& deployment,
                                                          const ScaleOrder& order, const std::stop_token& stop)>;

  // The logger and the registry outlive it.
  ScaleWriter(Write write, base::Logger& logger, metrics::Registry& registry);

  void Order(const kubernetes::ObjectName& deployment, ScaleOrder order);

 private:
  void Run(const std::stop_token& stop);
  void Do(const kubernetes::ObjectName& deployment, const ScaleOrder& order, const std::stop_token& stop);

  const Write write_;
  base::Logger& logger_;
  const std::shared_ptr<metrics::Counter> written_;
  const std::shared_ptr<metrics::Counter> failed_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::map<kubernetes::ObjectName, ScaleOrder> orders_;  // mutex_ guards it
  std::jthread thread_;
};

}  // namespace inferd::clustergateway
