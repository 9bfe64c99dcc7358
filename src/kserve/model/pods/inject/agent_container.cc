#include "kserve/model/pods/inject/agent_container.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/pod_spec.h"
#include "kserve/model/pods/inject/sidecar.h"
#include "kserve/model/pods/pod_parts.h"

namespace inferd::model {

namespace {

using manifest::Value;
using namespace std::string_view_literals;

constexpr SidecarKind kAgent = {.name = "agent", .program = "inferd-agent", .config_key = "agent"};
constexpr std::string_view kQueueProxy = "queue-proxy";
constexpr std::string_view kModelDirVolume = "model-dir";
constexpr std::string_view kModelDir = "/mnt/models";
constexpr std::string_view kModelListVolume = "model-config";
constexpr std::string_view kModelListDir = "/mnt/configs";
constexpr std::string_view kEndpointLabel = "endpoint";
constexpr std::string_view kControlVolume = "inferd-control";
constexpr std::string_view kControlDir = "/run/inferd";
constexpr std::string_view kControlSocket = "/run/inferd/http.sock";
constexpr std::string_view kSocketVariable = "INFERD_HTTP_UNIX_SOCKET";
constexpr std::string_view kControlVariable = "INFERD_CONTROL_FROM";

// Returns the container's first port, or its port of that name. Null if there is none.
const Value* FindContainerPort(const Value& container, std::string_view name = "") {
  const Value* const ports = container.Find("ports");
  if (ports == nullptr) return nullptr;
  for (const Value& port : ports->items()) {
    const Value* const own_name = port.Find("name");
    if (name.empty() || (own_name != nullptr && own_name->text() == name)) return port.Find("containerPort");
  }
  return nullptr;
}

std::string ComponentPort(const Value& server) {
  const Value* const port = FindContainerPort(server);
  return port == nullptr ? std::to_string(kContainerPort) : port->text();
}

// The arguments of the agent, in KServe's order.
class AgentArguments final {
 public:
  AgentArguments(const PodInjection& injection, const ResolvedPod& pod) : injection_(injection), pod_(pod) {}

  std::vector<std::string> Make(const Value& server) {
    if (pod_.annotations.contains(kAgentAnnotation)) {
      words_.emplace_back("--enable-puller");
      Add("--config-dir", AnnotationOf(pod_, kConfigDirAnnotation));
      Add("--model-dir", AnnotationOf(pod_, kModelDirAnnotation));
    }
    if (pod_.annotations.contains(kBatcherAnnotation)) {
      words_.emplace_back("--enable-batcher");
      Add("--max-batchsize", AnnotationOf(pod_, kBatchSizeAnnotation));
      Add("--max-latency", AnnotationOf(pod_, kBatchLatencyAnnotation));
    }
    if (pod_.annotations.contains(kLoggerAnnotation)) AddLogger();
    Add("--component-port", ComponentPort(server));
    return std::move(words_);
  }

 private:
  void Add(std::string_view name, const std::string& value) {
    if (!value.empty()) words_.insert(words_.end(), {std::string(name), value});
  }

  void AddLogger() {
    const std::string url = AnnotationOf(pod_, kLoggerUrlAnnotation);
    const std::string mode = AnnotationOf(pod_, kLoggerModeAnnotation);
    Add("--log-url", url.empty() ? injection_.config.logger_url : url);
    Add("--source-uri", injection_.pod_name);
    Add("--log-mode", mode.empty() ? "all" : mode);
    Add("--inference-service", Label(kInferenceServiceLabel));
    Add("--namespace", pod_.namespace_name);
    Add("--endpoint", Label(std::string(kEndpointLabel)));
    Add("--component", Label(kComponentLabel));
  }

  std::string Label(const std::string& key) const {
    const auto found = pod_.labels.find(key);
    return found == pod_.labels.end() ? std::string() : found->second;
  }

  const PodInjection& injection_;
  const ResolvedPod& pod_;
  std::vector<std::string> words_;
};

// Checks the batcher's limits, because the agent would not start with invalid ones.
base::Status CheckBatcher(const ResolvedPod& pod) {
  for (const std::string& key : {kBatchSizeAnnotation, kBatchLatencyAnnotation}) {
    const std::string value = AnnotationOf(pod, key);
    if (value.empty() || manifest::ParseInt64(value).has_value()) continue;
    return base::InvalidArgument("metadata.annotations." + key + ": must be a whole number, not \"" + value + "\"");
  }
  return base::OkStatus();
}

// Returns the server's probe as JSON for the agent, which runs it instead of the kubelet. Port names, and ports that
// Knative would fill in, become numbers. Empty if the agent cannot run the probe. Then it only checks that the port is
// open.
std::string ProbeJson(const Value& server) {
  const Value* const given = server.Find("readinessProbe");
  if (given == nullptr) return "";
  Value probe = *given;
  for (const std::string_view kind : {"httpGet", "tcpSocket"}) {
    Value* const target = probe.Find(kind);
    if (target == nullptr || !target->is(manifest::Kind::kMap)) continue;
    const Value* const scheme = std::as_const(*target).Find("scheme");
    if (scheme != nullptr && scheme->text() != "HTTP") return "";
    const Value* const port = std::as_const(*target).Find("port");
    const bool named = port != nullptr && port->is(manifest::Kind::kString);
    const Value* const number = named ? FindContainerPort(server, port->text()) : port;
    const bool open = number == nullptr || number->text() == "0" || !number->is(manifest::Kind::kNumber);
    Value known = Value::Number(open ? ComponentPort(server) : number->text());
    target->Set("port", std::move(known));
    return manifest::ToJson(probe);
  }
  return "";
}

Value AgentProbe() {
  Value header = Value::Map({{"name", Text("K-Network-Probe")}, {"value", Text("queue")}});
  return Value::Map({{"httpGet", Value::Map({{"path", Text("/")},
                                             {"port", Number(kAgentPort)},
                                             {"scheme", Text("HTTP")},
                                             {"httpHeaders", Value::List({std::move(header)})}})}});
}

// Makes Knative's queue-proxy forward to the agent instead of the server.
void LeadToAgent(Value& queue_proxy) {
  Value* const port = FindNamed(queue_proxy, "env", "USER_PORT");
  if (port != nullptr) port->Set("value", Value::String(std::to_string(kAgentPort)));
}

// Gives the agent the variables of Knative's queue-proxy. Without one, gives it the server's probe and timeout.
void AddAgentVariables(ResolvedPod& pod, const Value& server, Value& agent) {
  if (Value* const queue_proxy = FindNamed(pod.pod_spec, "containers", kQueueProxy)) {
    if (const Value* const variables = std::as_const(*queue_proxy).Find("env")) agent.Set("env", *variables);
    return LeadToAgent(*queue_proxy);
  }
  const auto add = [&](std::string_view name, std::string value) {
    ListOf(agent, "env").push_back(Value::Map({{"name", Text(name)}, {"value", Value::String(std::move(value))}}));
  };
  if (std::string probe = ProbeJson(server); !probe.empty()) add("SERVING_READINESS_PROBE", std::move(probe));
  if (pod.extension.timeout_s.value_or(0) > 0) {
    add("REVISION_TIMEOUT_SECONDS", std::to_string(*pod.extension.timeout_s));
  }
}

// Gives the agent the pod's only port, because Knative sends a revision's requests to its one container with ports.
// Keeps the port's name, which selects the protocol.
void TakePorts(ResolvedPod& pod, Value& agent) {
  Value port = Value::Map({{"containerPort", Number(kAgentPort)}, {"protocol", Text("TCP")}});
  for (Value& container : pod.pod_spec.At("containers").items()) {
    const Value* const ports = std::as_const(container).Find("ports");
    if (ports != nullptr && !ports->items().empty()) {
      const Value* const name = ports->items().front().Find("name");
      if (name != nullptr) port.Set("name", *name);
    }
    container.Remove("ports");
    container.Remove("readinessProbe");
  }
  agent.Set("ports", Value::List({std::move(port)}));
}

// Mounts the folder of the TrainedModels, and the ConfigMap that lists them.
void MountModelDir(ResolvedPod& pod, Value& agent, Value& volumes) {
  if (!pod.annotations.contains(kAgentAnnotation)) return;
  if (pod.annotations.contains(kModelDirAnnotation)) {
    volumes.items().push_back(MakeVolume(kModelDirVolume, "emptyDir", Value::Map()));
    AddMount(agent, kModelDirVolume, kModelDir, false);
    if (Value* const server = FindNamed(pod.pod_spec, "containers", kServingContainer)) {
      AddMount(*server, kModelDirVolume, kModelDir, false);
    }
  }
  const std::string list = AnnotationOf(pod, kModelConfigAnnotation);
  if (list.empty()) return;
  volumes.items().push_back(MakeVolume(kModelListVolume, "configMap", Value::Map({{"name", Text(list)}})));
  AddMount(agent, kModelListVolume, kModelListDir, false);
}

bool RunsInferd(const Value& server) {
  const Value* const command = server.Find("command");
  if (command != nullptr && !command->items().empty()) return command->items().front().text() == "inferd";
  const Value* const image = server.Find("image");
  return image != nullptr && IsOwnImage(image->text());
}

// Adds the control socket for an agent that loads models. If agent and server are both inferd's, they share a Unix
// socket that no other container has. The server accepts control calls through the socket only, unless its variables
// say otherwise.
void ShareControlSocket(const PodInjection& injection, ResolvedPod& pod, Value& agent, Value& volumes) {
  if (!pod.annotations.contains(kAgentAnnotation) || !IsOwnImage(injection.config.agent.image)) return;
  Value& server = *FindNamed(pod.pod_spec, "containers", kServingContainer);
  if (!RunsInferd(server) || FindNamed(server, "env", kSocketVariable) != nullptr) return;
  for (const auto& [name, value] :
       {std::pair(kSocketVariable, kControlSocket), std::pair(kControlVariable, "socket"sv)}) {
    if (FindNamed(server, "env", name) != nullptr) continue;
    ListOf(server, "env").push_back(Value::Map({{"name", Text(name)}, {"value", Text(value)}}));
  }
  std::vector<Value>& words = ListOf(agent, "args");
  words.insert(words.end(), {Text("--control-socket"), Text(kControlSocket)});
  volumes.items().push_back(MakeVolume(kControlVolume, "emptyDir", Value::Map()));
  AddMount(agent, kControlVolume, kControlDir, false);
  AddMount(server, kControlVolume, kControlDir, false);
}

// Adds the credentials of the pod's service account, with which the agent fetches models.
void AddPullerCredentials(const PodInjection& injection, const ResolvedPod& pod, Value& agent, Value& volumes) {
  if (!pod.annotations.contains(kAgentAnnotation)) return;
  StorageInitializer found;
  AddAccount(pod, injection.config.credentials, injection.find, found);
  const auto move = [&](std::string_view key, Value& to) {
    Value* const from = found.container.Find(key);
    if (from == nullptr) return;
    for (Value& item : from->items()) ListOf(to, key).push_back(std::move(item));
  };
  move("env", agent);
  move("volumeMounts", agent);
  for (Value& volume : found.volumes.items()) volumes.items().push_back(std::move(volume));
}

}  // namespace

base::Status InjectAgent(const PodInjection& injection, ResolvedPod& pod) {
  const bool wanted = pod.annotations.contains(kAgentAnnotation) || pod.annotations.contains(kBatcherAnnotation) ||
                      pod.annotations.contains(kLoggerAnnotation);
  if (!wanted || FindNamed(pod.pod_spec, "containers", kAgent.name) != nullptr) return base::OkStatus();
  const Value* const found = FindNamed(pod.pod_spec, "containers", kServingContainer);
  if (found == nullptr) {
    return base::InvalidArgument("Invalid configuration: cannot find container: " + std::string(kServingContainer));
  }
  INFERD_RETURN_IF_ERROR(CheckBatcher(pod));
  const Value server = *found;
  INFERD_ASSIGN_OR_RETURN(
      Value agent, MakeSidecar(kAgent, injection.config.agent, AgentArguments(injection, pod).Make(server), server));
  Restrict(pod.pod_spec, agent);
  AddAgentVariables(pod, server, agent);
  if (injection.form == PodForm::kRevision) {
    TakePorts(pod, agent);
  } else {
    agent.Set("ports",
              Value::List({Value::Map(
                  {{"name", Text("agent-port")}, {"containerPort", Number(kAgentPort)}, {"protocol", Text("TCP")}})}));
  }
  agent.Set("readinessProbe", AgentProbe());
  Value volumes = Value::List();
  AddPullerCredentials(injection, pod, agent, volumes);
  MountModelDir(pod, agent, volumes);
  ShareControlSocket(injection, pod, agent, volumes);
  AddVolumes(std::move(volumes), pod);
  ListOf(pod.pod_spec, "containers").push_back(std::move(agent));
  return base::OkStatus();
}

}  // namespace inferd::model
