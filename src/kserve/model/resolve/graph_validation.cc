#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "data/gjson/path.h"
#include "data/manifest/names.h"
#include "kserve/model/resolve/component_validation.h"
#include "kserve/model/resolve/document_problems.h"
#include "kserve/model/resolve/validation.h"

namespace inferd::model {

namespace {

using Graph = InferenceGraph;

constexpr std::array<std::string_view, 4> kRouterTypes = {"Sequence", "Splitter", "Ensemble", "Switch"};
constexpr int64_t kWeightSum = 100;
constexpr int64_t kTimeoutMaxS = 86'400;

class GraphValidator {
 public:
  explicit GraphValidator(const Graph& graph) : graph_(graph), problems_(graph.document) {}

  manifest::Problems Validate() {
    ValidateName();
    if (graph_.FindNode("root") == nullptr) {
      problems_.Add({"spec", "nodes"},
                    "root node not found, InferenceGraph needs a node with name 'root' as the root node of the graph");
    }
    for (const Graph::Node& node : graph_.nodes) ValidateNode(node);
    ValidateTimeout({"spec", "timeout"}, graph_.timeout_s);
    const Graph::RouterTimeouts& router = graph_.router_timeouts;
    ValidateTimeout({"spec", "routerTimeouts", "serverRead"}, router.server_read);
    ValidateTimeout({"spec", "routerTimeouts", "serverWrite"}, router.server_write);
    ValidateTimeout({"spec", "routerTimeouts", "serverIdle"}, router.server_idle);
    ValidateTimeout({"spec", "routerTimeouts", "serviceClient"}, router.service_client);
    for (const Graph::Node& node : graph_.nodes) Visit(node);
    ValidateAutoscalerAnnotations(graph_.metadata, problems_);
    ValidateScaling(graph_.scaling, graph_.metadata, problems_);
    return problems_.Take();
  }

 private:
  enum class Visited { kNo, kUnderWay, kDone };

  void Add(const auto& place, std::string message) {
    problems_.Add(manifest::Problem{place.position, place.path, std::move(message)});
  }

  // A missing or malformed name was already reported when the graph was read.
  void ValidateName() {
    const std::string& name = graph_.metadata.name;
    if (name.empty()) return;
    const std::vector<std::string> faults = manifest::CheckServiceName(name);
    if (!faults.empty()) problems_.Add({"metadata", "name"}, "must be the name of a Service, too: " + faults.front());
  }

  void ValidateTimeout(std::initializer_list<std::string_view> field, const std::optional<int64_t>& seconds) {
    if (seconds.has_value() && (*seconds < 1 || *seconds > kTimeoutMaxS)) {
      problems_.Add(field, "must be between 1 and " + std::to_string(kTimeoutMaxS));
    }
  }

  void ValidateNode(const Graph::Node& node) {
    if (std::ranges::find(kRouterTypes, node.router_type) == kRouterTypes.end()) {
      Add(node, "routerType must be Sequence, Splitter, Ensemble or Switch, not '" + node.router_type + "'");
    }
    if (node.steps.empty()) Add(node, "has no steps");
    if (node.router_type == "Splitter") ValidateWeights(node);
    std::set<std::string_view> names;
    for (size_t i = 0; i < node.steps.size(); ++i) {
      const Graph::Step& step = node.steps[i];
      if (!step.name.empty() && !names.insert(step.name).second) {
        Add(step, "Node \"" + node.name + "\" of InferenceGraph \"" + graph_.metadata.name +
                      "\" contains more than one step with name \"" + step.name + "\"");
      }
      ValidateTarget(node, step, i);
      ValidateRules(step);
    }
  }

  void ValidateWeights(const Graph::Node& node) {
    const std::string where = "InferenceGraph[" + graph_.metadata.name + "] Node[" + node.name + "] ";
    int64_t sum = 0;
    for (const Graph::Step& step : node.steps) {
      if (!step.weight.has_value()) {
        const std::string& target = !step.service_name.empty() ? step.service_name : step.node_name;
        return Add(step, where + "Route[" + target + "] missing the 'Weight'");
      }
      if (*step.weight < 0 || *step.weight > kWeightSum) return Add(step, "weight must be between 0 and 100");
      sum += *step.weight;
    }
    if (sum != kWeightSum) {
      Add(node, where + "splitter node: the sum of traffic weights for all routing targets should be 100");
    }
  }

  void ValidateTarget(const Graph::Node& node, const Graph::Step& step, size_t index) {
    const int targets = static_cast<int>(!step.node_name.empty()) + static_cast<int>(!step.service_name.empty()) +
                        static_cast<int>(!step.service_url.empty());
    if (targets != 1) {
      Add(step, "Step " + std::to_string(index) + " (\"" + step.name + "\") in node \"" + node.name +
                    "\" of InferenceGraph \"" + graph_.metadata.name +
                    (targets == 0 ? "\" does not specify an inference target"
                                  : "\" specifies more than one of nodeName, serviceName, serviceUrl"));
    }
    if (!step.node_name.empty() && graph_.FindNode(step.node_name) == nullptr) {
      Add(step, "nodeName: there is no node '" + step.node_name + "'");
    }
  }

  void ValidateRules(const Graph::Step& step) {
    if (!step.condition.empty()) {
      if (const auto path = gjson::Path::Parse(step.condition); !path.has_value()) {
        Add(step, std::string(path.error().message()));
      }
    }
    if (!step.data.empty() && step.data != "$request" && step.data != "$response") {
      Add(step, "data must be $request or $response, not '" + step.data + "'");
    }
    if (!step.dependency.empty() && step.dependency != "Soft" && step.dependency != "Hard") {
      Add(step, "dependency must be Soft or Hard, not '" + step.dependency + "'");
    }
  }

  // Finds cycles, depth first. A node that is reached again while it is under way leads back to itself. The recursion
  // is at most as deep as there are nodes, which the limit of map members bounds.
  void Visit(const Graph::Node& node) {
    Visited& visited = visited_[node.name];
    if (visited == Visited::kDone) return;
    visited = Visited::kUnderWay;
    for (const Graph::Step& step : node.steps) {
      const Graph::Node* next = step.node_name.empty() ? nullptr : graph_.FindNode(step.node_name);
      if (next == nullptr) continue;
      if (visited_[next->name] == Visited::kUnderWay) {
        Add(step, "nodeName: the graph has a loop: '" + next->name + "' leads back to itself");
      } else {
        Visit(*next);
      }
    }
    visited_[node.name] = Visited::kDone;
  }

  const Graph& graph_;
  DocumentProblems problems_;
  std::map<std::string_view, Visited> visited_;
};

}  // namespace

manifest::Problems Validate(const InferenceGraph& graph) { return GraphValidator(graph).Validate(); }

}  // namespace inferd::model
