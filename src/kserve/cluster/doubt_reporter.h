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

// Tells operators why what is known about the cluster may be out of date: by a gauge for each doubt, which is 1 while
// it lasts, and by one event when it begins. Not thread-safe.
class DoubtReporter final {
 public:
  // Events are about the controller's Lease `lease`, and written only while `leads` returns true; one that begins while
  // another controller leads is told when this one does. All references outlive this.
  DoubtReporter(StatusWriter& statuses, metrics::Registry& metrics, kubernetes::ObjectName lease,
                std::function<bool()> leads);

  // `doubts` are all that there are now. Blocks.
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
  std::map<std::string, Told> told_;  // by what they are about
};

}  // namespace inferd::cluster
