#pragma once

#include <stop_token>

#include "data/manifest/value.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/cluster/objects/status_writer.h"
#include "kserve/kubernetes/client/client.h"
#include "kserve/model/status/graph_status.h"

namespace inferd::cluster {

// Says of InferenceGraphs what has become of them: their status, where it has changed, and an event where they become
// ready, or are not. Thread-safe; calls block.
class GraphReporter final {
 public:
  // That outlives it.
  explicit GraphReporter(StatusWriter& statuses) : statuses_(statuses) {}

  // `live`: the graph as it was looked at. A conflict: it has changed meanwhile, and is looked at again. Whether
  // something was written.
  kubernetes::ApiResult<bool> Report(const manifest::Value& live, const model::GraphState& state,
                                     const std::stop_token& stop);

  // Says that nothing is decided about the graph, since no configuration is known. What its status says stays.
  kubernetes::ApiResult<bool> ReportWaiting(const manifest::Value& live, const model::ObservedCondition& why,
                                            const std::stop_token& stop) {
    return statuses_.WriteNotice(InferenceGraphs(), live, kConfigNotice, why, stop);
  }

 private:
  StatusWriter& statuses_;
};

}  // namespace inferd::cluster
