#include "kserve/model/reconcile/graph_router.h"

#include <string_view>
#include <utility>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/empty_values.h"
#include "kserve/model/pods/inject/sidecar.h"
#include "kserve/model/pods/pod_parts.h"

namespace inferd::model {

namespace {

using manifest::Value;

std::unexpected<ResolutionFailure> StepFailure(const char* reason, const InferenceGraph::Step& step,
                                               const std::string& what) {
  return std::unexpected(ResolutionFailure::Saying(reason, step.path + ".serviceName: " + what));
}

// Escapes a text for use as an argument. Kubernetes replaces $(NAME) in arguments, and $$ by $.
std::string AsArgument(std::string_view text) {
  std::string argument;
  for (size_t i = 0; i < text.size(); ++i) {
    argument += text[i];
    const bool is_read = text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '$' || text[i + 1] == '(');
    if (is_read) argument += '$';
  }
  return argument;
}

// The router needs no rights on its node, and only reads its file system (KServe 0.15).
Value RouterSecurity() {
  Value context = RestrictedContext();
  context.Set("readOnlyRootFilesystem", Value::Bool(true));
  return context;
}

Value ProbeOf(std::string_view path) {
  return Value::Map({{"httpGet", Value::Map({{"path", Text(path)}, {"port", Number(kContainerPort)}})}});
}

std::string WithCommas(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
  return joined;
}

}  // namespace

std::expected<std::string, ResolutionFailure> RouterGraphJson(const InferenceGraph& graph,
                                                              const FindStepService& find) {
  const Value* const spec = graph.document.Find("spec");
  Value given = Value::Map();
  for (const std::string_view key : {"nodes", "timeout", "routerTimeouts"}) {
    const Value* const value = spec == nullptr ? nullptr : spec->Find(key);
    if (value != nullptr && !IsUnset(*value)) given.Set(key, WithoutNulls(*value));
  }
  for (const InferenceGraph::Node& node : graph.nodes) {
    std::vector<Value>& steps = given.At("nodes").At(node.name).At("steps").items();
    for (size_t i = 0; i < node.steps.size(); ++i) {
      const InferenceGraph::Step& step = node.steps[i];
      if (step.service_name.empty()) continue;
      const StepService service = find(step.service_name);
      if (!service.there) {
        return StepFailure("ServiceNotFound", step, "there is no InferenceService '" + step.service_name + "'");
      }
      if (service.url.empty()) {
        return StepFailure("ServiceNotReady", step,
                           "the InferenceService '" + step.service_name + "' has no address yet");
      }
      steps[i].Set("serviceUrl", Text(service.url));
    }
  }
  std::string json = manifest::ToJson(given);
  if (json.size() <= kGraphBytesMax) return json;
  const std::string text = "spec.nodes: the graph has " + std::to_string(json.size()) +
                           " bytes with the URLs of its services; its router takes " + std::to_string(kGraphBytesMax);
  return std::unexpected(ResolutionFailure::Saying("GraphTooLarge", text));
}

base::Result<ResolvedPod> RouterPod(const InferenceGraph& graph, const std::string& json,
                                    const InferenceServiceConfig& config) {
  ResolvedPod pod = BeginPod(graph.metadata, graph.scaling);
  pod.extension.timeout_s = graph.timeout_s;
  pod.labels[kInferenceGraphLabel] = graph.metadata.name;
  pod.pod_spec = graph.pod_spec;
  const SidecarKind kind = {.name = graph.metadata.name, .program = "inferd-gateway", .config_key = "router"};
  INFERD_ASSIGN_OR_RETURN(Value container, MakeSidecar(kind, config.router, {"--graph-json", AsArgument(json)},
                                                       Value::Map({{"securityContext", RouterSecurity()}})));
  if (!graph.resources.is(manifest::Kind::kNull)) container.Set("resources", graph.resources);
  if (!config.propagated_headers.empty()) {
    ListOf(container, "env")
        .push_back(
            Value::Map({{"name", Text("PROPAGATE_HEADERS")}, {"value", Text(WithCommas(config.propagated_headers))}}));
  }
  // If the router cannot run the graph, the end of its log becomes the pod's failure message.
  container.Set("terminationMessagePolicy", Text("FallbackToLogsOnError"));
  if (IsOwnImage(config.router.image)) {
    container.Set("readinessProbe", ProbeOf("/readyz"));
    container.Set("livenessProbe", ProbeOf("/livez"));
  }
  pod.pod_spec.Set("containers", Value::List({std::move(container)}));
  pod.pod_spec.Set("automountServiceAccountToken", Value::Bool(false));
  return pod;
}

}  // namespace inferd::model
