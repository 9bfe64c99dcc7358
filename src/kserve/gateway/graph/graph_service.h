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
  // Names of headers that are copied to the steps, in addition to trace headers (KServe: inferenceservice-config,
  // router.headers.propagate).
  std::vector<base::NamePattern> propagated;
  std::chrono::milliseconds timeout{300'000};             // for the whole graph
  std::optional<std::chrono::milliseconds> step_timeout;  // for each step; then its response is 504
  // Limit for the responses of all steps of a request.
  size_t bytes_max = size_t{256} << 20;
};

// Returns the options of a valid graph, with its timeouts and these header patterns. INVALID_ARGUMENT if a pattern is
// invalid.
base::Result<GraphOptions> OptionsOf(const model::InferenceGraph& graph, const std::vector<std::string>& propagated);

// A graph that answers a route's requests. Immutable and thread-safe.
class GraphService final : public gateway::LocalService {
 public:
  // Limit of nested graphs: graphs whose steps call other graphs. A deeper one is answered with 508. Requests carry
  // their depth in this header.
  static constexpr size_t kGraphsMax = 8;
  static constexpr std::string_view kGraphsField = "Inferd-Graphs";

  GraphService(Plan plan, GraphOptions options);

  std::unique_ptr<gateway::RoutedCall> Begin(gateway::CallOwner& owner, std::shared_ptr<const gateway::Route> route,
                                             net::HttpRequest request, net::Reply reply) const override;

  const Plan& plan() const { return plan_; }
  const GraphOptions& options() const { return options_; }
  // Returns true if the graph copies a header of that name to its steps.
  bool Propagates(std::string_view name) const;

 private:
  const Plan plan_;
  const GraphOptions options_;
};

}  // namespace inferd::graph
