#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_pattern.h"
#include "base/status.h"
#include "kserve/gateway/graph/plan.h"
#include "kserve/gateway/routed_call.h"
#include "kserve/model/api/inference_graph.h"

namespace inferd::graph {

struct GraphOptions {
  // Names of a request's header fields that go on to its steps, beside those of traces (KServe:
  // inferenceservice-config, router.headers.propagate).
  std::vector<base::NamePattern> propagated;
  std::chrono::milliseconds timeout{300'000};             // until there is the answer
  std::optional<std::chrono::milliseconds> step_timeout;  // until there is a step's answer, which then is 504
  // Of the answers of all steps of a request.
  size_t bytes_max = size_t{256} << 20;
};

// With the timeouts of the graph, which is valid, and these patterns of header fields. INVALID_ARGUMENT: a pattern.
base::Result<GraphOptions> OptionsOf(const model::InferenceGraph& graph, const std::vector<std::string>& propagated);

// A graph, as it answers a route's requests. Immutable and thread-safe.
class GraphService final : public gateway::LocalService {
 public:
  // Graphs that are asked by each other's steps, in a row; a further one is answered with 508. Steps say how many there
  // are by this field.
  static constexpr size_t kGraphsMax = 8;
  static constexpr std::string_view kGraphsField = "Inferd-Graphs";

  GraphService(Plan plan, GraphOptions options);

  std::unique_ptr<gateway::RoutedCall> Begin(gateway::CallOwner& owner, std::shared_ptr<const gateway::Route> route,
                                             net::HttpRequest request, net::Reply reply) const override;

  const Plan& plan() const { return plan_; }
  const GraphOptions& options() const { return options_; }
  // Whether a request's field of that name goes on to its steps.
  bool Propagates(std::string_view name) const;

 private:
  const Plan plan_;
  const GraphOptions options_;
};

}  // namespace inferd::graph
