#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/metrics/registry.h"
#include "kserve/cluster/objects/cluster_features.h"
#include "kserve/cluster/objects/status_writer.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::cluster {

// Tells operators why the known state of the cluster may be out of date. Each doubt has a gauge, which is 1 while the
// doubt lasts, and one event when it begins. Not thread-safe.
class DoubtReporter final {
 public:
  // Events refer to the controller's Lease `lease`, and are written only while `leads` returns true. If a doubt begins
  // while another controller leads, its event is written when this one begins to lead. All references must outlive
  // this.
  DoubtReporter(StatusWriter& statuses, metrics::Registry& metrics, kubernetes::ObjectName lease,
                std::function<bool()> leads);

  // Updates gauges and events. `doubts` must be the complete current list. Blocks.
  void Tell(const std::vector<Doubt>& doubts, const std::stop_token& stop);

 private:
  struct Told {
    std::shared_ptr<metrics::Gauge> gauge;
    bool lasts = false;
    bool has_event = false;
  };

  StatusWriter& statuses_;
  metrics::Registry& metrics_;
  const kubernetes::ObjectName lease_;
  const std::function<bool()> leads_;
  std::map<std::string, Told> told_;  // by Doubt::about
};

}  // namespace inferd::cluster
