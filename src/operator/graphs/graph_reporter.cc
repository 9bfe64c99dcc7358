#include "operator/graphs/graph_reporter.h"

#include <string>

#include "controlplane/status/service_status.h"
#include "controlplane/status/trained_model_status.h"
#include "manifest/value_path.h"
#include "operator/cluster/resources.h"

namespace inferd::operators {

using manifest::Value;

kubernetes::ApiResult<bool> GraphReporter::Report(const Value& live, const controlplane::GraphState& state,
                                                  const std::stop_token& stop) {
  const Value* const before = live.Find("status");
  const Value status = controlplane::WithTimes(controlplane::MakeGraphStatus(state), before, statuses_.Now());
  auto written = statuses_.Write(InferenceGraphs(), live, status, stop);
  if (!written.has_value() || !*written) return written;
  const std::string was = before == nullptr ? std::string() : controlplane::ConditionOf(*before, "Ready");
  if (const auto event = controlplane::EventOf(manifest::TextAt(live, {"metadata", "name"}), state, was)) {
    statuses_.Record(live, event->type, event->reason, event->message, stop);
  }
  return written;
}

}  // namespace inferd::operators
