#include "kserve/cluster/doubt_reporter.h"

#include <algorithm>
#include <utility>

#include "kserve/kubernetes/api/object_meta.h"

namespace inferd::cluster {

DoubtReporter::DoubtReporter(StatusWriter& statuses, metrics::Registry& metrics, kubernetes::ObjectName lease,
                             std::function<bool()> leads)
    : statuses_(statuses), metrics_(metrics), lease_(std::move(lease)), leads_(std::move(leads)) {}

void DoubtReporter::Tell(const std::vector<Doubt>& doubts, const std::stop_token& stop) {
  for (auto& [about, told] : told_) {
    const bool lasts = std::ranges::find(doubts, about, &Doubt::about) != doubts.end();
    if (lasts || !told.lasts) continue;
    told.lasts = told.has_event = false;
    told.gauge->Set(0);
  }
  for (const Doubt& doubt : doubts) {
    Told& told = told_[doubt.about];
    if (told.gauge == nullptr) {
      told.gauge = metrics_.AddGauge("inferd_controller_doubt",
                                     "Whether what is known about this may be out of date, since it cannot be read",
                                     {{"about", doubt.about}});
    }
    told.lasts = true;
    told.gauge->Set(1);
    if (told.has_event || !leads_()) continue;
    told.has_event = true;
    statuses_.Record(kubernetes::MakeObject(kubernetes::LeaseResource(), lease_), "Warning", "ClusterInDoubt",
                     doubt.about + ": " + doubt.text, stop);
  }
}

}  // namespace inferd::cluster
