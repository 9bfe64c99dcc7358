#pragma once

#include <stop_token>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/objects/status_writer.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/model/status/graph_status.h"

namespace inferd::cluster {

// Writes changed statuses of InferenceGraphs, and an event when a graph becomes ready or stops being ready.
// Thread-safe; calls block.
class GraphReporter final {
 public:
  // `statuses` must outlive the reporter.
  explicit GraphReporter(StatusWriter& statuses) : statuses_(statuses) {}

  // Writes the status if it changed, and returns true if it did. `live` is the graph that the status was computed from.
  // A conflict means that it has changed meanwhile; the caller must reconcile it again.
  kubernetes::ApiResult<bool> Report(const manifest::Value& live, const model::GraphState& state,
                                     const std::stop_token& stop);

  // Reports that no decision is possible because no configuration is known. The rest of the status stays.
  kubernetes::ApiResult<bool> ReportWaiting(const manifest::Value& live, const model::ObservedCondition& why,
                                            const std::stop_token& stop) {
    return statuses_.WriteNotice(InferenceGraphs(), live, kConfigNotice, why, stop);
  }

 private:
  StatusWriter& statuses_;
};

}  // namespace inferd::cluster
