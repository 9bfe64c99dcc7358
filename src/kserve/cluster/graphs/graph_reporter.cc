#include "kserve/cluster/graphs/graph_reporter.h"

#include <string>

#include "data/manifest/value_path.h"
#include "kserve/cluster/objects/resources.h"
#include "kserve/model/status/service_status.h"
#include "kserve/model/status/trained_model_status.h"

namespace inferd::cluster {

using manifest::Value;

kubernetes::ApiResult<bool> GraphReporter::Report(const Value& live, const model::GraphState& state,
                                                  const std::stop_token& stop) {
  const Value* const before = live.Find("status");
  const Value status = model::WithTimes(model::MakeGraphStatus(state), before, statuses_.Now());
  auto written = statuses_.Write(InferenceGraphs(), live, status, stop);
  if (!written.has_value() || !*written) return written;
  for (const auto& [type, notice] : state.notices) {
    if (model::MessageOf(before, type) != notice.message) {
      statuses_.Record(live, "Warning", notice.reason, notice.message, stop);
    }
  }
  const std::string was = before == nullptr ? std::string() : model::ConditionOf(*before, "Ready");
  if (const auto event = model::EventOf(manifest::TextAt(live, {"metadata", "name"}), state, was)) {
    statuses_.Record(live, event->type, event->reason, event->message, stop);
  }
  return written;
}

}  // namespace inferd::cluster
