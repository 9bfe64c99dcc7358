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

// The destination of a step's request.
struct Target {
  std::string host;                               // value of the Host header
  std::string path;                               // including the query
  std::shared_ptr<const gateway::Route> address;  // for a URL with an IP address; null if the gateway knows the host
};

// Parses a URL such as "http://iris.default.svc.cluster.local/v1/models/iris:predict". INVALID_ARGUMENT if it is
// invalid, or is an https URL.
base::Result<Target> ParseTarget(std::string_view url);

struct Step {
  std::string name;             // or its index in the node; the key of its response in an ensemble
  std::optional<size_t> node;   // set if the step is another node of the plan
  Target target;                // used otherwise
  bool takes_response = false;  // of the previous step, in a sequence
  bool hard = false;            // if it fails, its response becomes the node's
  uint32_t weight = 0;          // percent, in a splitter
  std::optional<gjson::Path> condition;
};

struct Node {
  enum class Type : uint8_t { kSequence, kSplitter, kEnsemble, kSwitch };
  std::string name;
  Type type = Type::kSequence;
  std::vector<Step> steps;
};

// An InferenceGraph, prepared for runs. Immutable and thread-safe.
struct Plan {
  std::vector<Node> nodes;
  size_t root = 0;
};

// Returns the URL of a service in the graph's namespace.
using ServiceUrl = std::function<base::Result<std::string>(const std::string& name)>;

// Prepares a valid graph. INVALID_ARGUMENT, with the step, if a URL or a condition is invalid, or if `service_url`
// fails.
base::Result<Plan> MakePlan(const model::InferenceGraph& graph, const ServiceUrl& service_url);

}  // namespace inferd::graph
