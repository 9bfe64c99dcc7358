#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/gjson/path.h"
#include "kserve/gateway/route_table.h"
#include "kserve/model/api/inference_graph.h"

namespace inferd::graph {

// Where a step's request goes.
struct Target {
  std::string host;                               // as its Host field has it
  std::string path;                               // with the query
  std::shared_ptr<const gateway::Route> address;  // of a URL with an IP address; null: the gateway knows the host
};

// "http://iris.default.svc.cluster.local/v1/models/iris:predict". INVALID_ARGUMENT: it is none, or https.
base::Result<Target> ParseTarget(std::string_view url);

struct Step {
  std::string name;             // or its number in the node: what an ensemble's answer has it under
  std::optional<size_t> node;   // the step is another node of the plan
  Target target;                // else
  bool takes_response = false;  // of the step before, in a sequence
  bool hard = false;            // where it fails, the node's answer is its answer
  uint32_t weight = 0;          // percent, of a splitter's
  std::optional<gjson::Path> condition;
};

struct Node {
  enum class Type : uint8_t { kSequence, kSplitter, kEnsemble, kSwitch };
  std::string name;
  Type type = Type::kSequence;
  std::vector<Step> steps;
};

// An InferenceGraph as it is run. Immutable and thread-safe.
struct Plan {
  std::vector<Node> nodes;
  size_t root = 0;
};

// The URL of the service of that name, of the graph's namespace.
using ServiceUrl = std::function<base::Result<std::string>(const std::string& name)>;

// Of a valid graph. INVALID_ARGUMENT, with the step: a URL or a condition that is none, or what `service_url` says.
base::Result<Plan> MakePlan(const model::InferenceGraph& graph, const ServiceUrl& service_url);

}  // namespace inferd::graph
