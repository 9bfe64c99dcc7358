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

// A new replica count for a Deployment.
struct ScaleOrder {
  int64_t replicas = 0;
  std::string resource_version;  // write only if the Deployment still has this version; empty for any version
};

// Writes the replica counts of Deployments on a thread of its own, since the API server may be slow. Of several waiting
// orders for a Deployment, the last one is written. A failure is logged and not retried: the caller will order again.
// Thread-safe.
class ScaleWriter final {
 public:
  using Write = std::function<kubernetes::ApiResult<void>(const kubernetes::ObjectName& deployment,
                                                          const ScaleOrder& order, const std::stop_token& stop)>;

  // The logger and the registry must outlive the writer.
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
  std::map<kubernetes::ObjectName, ScaleOrder> orders_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace inferd::clustergateway
