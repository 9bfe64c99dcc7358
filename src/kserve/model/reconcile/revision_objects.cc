#include "kserve/model/reconcile/revision_objects.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/mix_bits.h"
#include "base/text/hex.h"
#include "base/text/stable_hash.h"
#include "data/manifest/fields.h"
#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/reconcile/raw_objects.h"
#include "kserve/model/reconcile/serverless_objects.h"
#include "kserve/model/scale/hpa.h"

namespace inferd::model {

namespace {

using manifest::TextAt;
using manifest::Value;

const std::string kNumberLabel = "serving.knative.dev/configurationGeneration";
const std::string kMadeOfAnnotation = "serving.inferd.io/made-of";
const std::string kConcurrencyAnnotation = "serving.inferd.io/container-concurrency";
const std::string kTimeoutAnnotation = "serving.inferd.io/timeout-seconds";
const std::string kScalingAnnotation = "serving.inferd.io/scaling";
constexpr std::string_view kByUsage = "usage";
constexpr int64_t kHttpPort = 80;
constexpr int64_t kGrpcPort = 81;
constexpr int kHashDigits = 16;
constexpr int64_t kRevisionTimeoutMaxS = 86'400;

std::string Hash(std::string_view text) {
  std::string digits;
  base::AppendHex(digits, base::MixBits(base::StableHash(text)), kHashDigits);
  return digits;
}

// Probes a default pod every second, because a request may be waiting for it to become ready.
Value WithSoonReadiness(const Value& pod_spec) {
  const auto probe_of = [](Value& spec) -> Value* {
    Value* const containers = spec.Find("containers");
    return containers == nullptr || containers->items().empty() ? nullptr
                                                                : containers->items().front().Find("readinessProbe");
  };
  Value given = pod_spec;
  if (probe_of(given) != nullptr) return WithReadinessProbe(given);
  Value spec = WithReadinessProbe(pod_spec);
  if (Value* const probe = probe_of(spec)) probe->Set("periodSeconds", Number(1));
  return spec;
}

// Returns true if the revision gets a HorizontalPodAutoscaler. With another autoscaler class, another autoscaler scales
// it, or nothing does.
bool HasAutoscaler(DeploymentMode mode, const ResolvedPod& pod) {
  if (RevisionScalingOf(mode, pod) != RevisionScaling::kByUsage) return false;
  return mode != DeploymentMode::kRawDeployment || AutoscalerClassOf(pod.annotations) == AutoscalerClass::kHpa;
}

ResolvedPod RevisionPod(const ResolvedPod& pod, DeploymentMode mode) {
  ResolvedPod made = pod;
  // The class is for raw mode only. Other revisions are scaled by the gateway or the autoscaler.
  if (mode != DeploymentMode::kRawDeployment) made.annotations.erase(kAutoscalerClassAnnotation);
  made.labels.erase(kKnativeVisibilityLabel);
  made.pod_spec = WithSoonReadiness(pod.pod_spec);
  if (RevisionScalingOf(mode, pod) == RevisionScaling::kByUsage) {
    made.annotations[kScalingAnnotation] = kByUsage;
  } else {
    made.annotations = RevisionAnnotations(made);
  }
  const ComponentExtension& extension = pod.extension;
  if (extension.container_concurrency.value_or(0) > 0) {
    made.annotations[kConcurrencyAnnotation] = std::to_string(*extension.container_concurrency);
  }
  if (extension.timeout_s.has_value()) made.annotations[kTimeoutAnnotation] = std::to_string(*extension.timeout_s);
  return made;
}

bool SpeaksGrpc(const Value& port) {
  const Value* const name = port.Find("name");
  return name != nullptr && (name->text().starts_with("grpc") || name->text().starts_with("h2c"));
}

Value PortOf(std::string_view name, int64_t port, Value target) {
  return Value::Map(
      {{"name", Text(name)}, {"port", Number(port)}, {"targetPort", std::move(target)}, {"protocol", Text("TCP")}});
}

// Returns the port "http", and "grpc" if the container has another port for it.
Value RevisionPorts(const ResolvedPod& pod) {
  Value http = Number(kContainerPort);
  std::optional<Value> grpc;
  if (const Value* const ports = FirstPorts(pod.pod_spec); ports != nullptr) {
    bool found = false;
    for (const Value& port : ports->items()) {
      const Value* const number = port.Find("containerPort");
      if (number == nullptr) continue;
      if (SpeaksGrpc(port)) grpc = *number;
      if (!found && (!SpeaksGrpc(port) || ports->items().size() == 1)) http = *number, found = true;
    }
  }
  if (pod.extension.batcher.has_value() || pod.extension.logger.has_value()) http = Number(kAgentPort);
  Value ports = Value::List({PortOf("http", kHttpPort, std::move(http))});
  if (grpc.has_value()) ports.items().push_back(PortOf("grpc", kGrpcPort, *std::move(grpc)));
  return ports;
}

Value RevisionService(const InferenceService& service, const ResolvedPod& pod, const std::string& name,
                      const StringMap& labels) {
  Value object = BeginObject("v1", "Service", name, service, labels, {});
  // The Service exists for its EndpointSlices. Requests go to the pods directly, so it needs no cluster IP.
  object.Set("spec",
             Value::Map({{"clusterIP", Text("None")}, {"selector", Selector(name)}, {"ports", RevisionPorts(pod)}}));
  return object;
}

int64_t NumberAt(const Value& object, std::initializer_list<std::string_view> path, int64_t otherwise) {
  return std::max<int64_t>(manifest::ParseInt64(TextAt(object, path)).value_or(otherwise), 0);
}

StringMap AnnotationsOf(const Value& object) {
  StringMap annotations;
  const Value* const values = manifest::FieldAt(object, {"metadata", "annotations"});
  if (values == nullptr) return annotations;
  for (const manifest::Member& member : values->members()) annotations[member.key] = member.value.text();
  return annotations;
}

// Returns the owner reference of the InferenceService that controls the object.
const Value* OwnerOf(const Value& object) {
  const Value* const owners = manifest::FieldAt(object, {"metadata", "ownerReferences"});
  if (owners == nullptr) return nullptr;
  const auto found = std::ranges::find_if(owners->items(), [](const Value& owner) {
    const Value* const controls = owner.Find("controller");
    return TextAt(owner, {"kind"}) == "InferenceService" && controls != nullptr && controls->boolean();
  });
  return found == owners->items().end() ? nullptr : &*found;
}

}  // namespace

RevisionScaling RevisionScalingOf(DeploymentMode mode, const ResolvedPod& pod) {
  if (mode == DeploymentMode::kRawDeployment) return RevisionScaling::kByUsage;
  const auto scaler = pod.annotations.find(kKnativeClassAnnotation);
  const bool by_usage = scaler != pod.annotations.end() && scaler->second.starts_with("hpa.");
  return by_usage ? RevisionScaling::kByUsage : RevisionScaling::kByRequests;
}

std::string RevisionName(std::string_view component, int64_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "-%05lld", static_cast<long long>(number));
  return std::string(component) + text.data();
}

std::string MadeOf(const InferenceService& service, const ResolvedPod& pod, DeploymentMode mode) {
  const ResolvedPod made = RevisionPod(pod, mode);
  Value deployment = DeploymentOf(service, made, made, ComponentObjectName(service, pod.kind));
  deployment.At("spec").Remove("replicas");
  return Hash(manifest::ToJson(deployment.At("spec")));
}

std::vector<Value> RevisionObjects(const InferenceService& service, const ResolvedPod& pod, DeploymentMode mode,
                                   int64_t number) {
  const std::string component = ComponentObjectName(service, pod.kind);
  const std::string name = RevisionName(component, number);
  ResolvedPod made = RevisionPod(pod, mode);
  made.labels[kRevisionLabel] = name;
  made.labels[kConfigurationLabel] = component;
  made.labels[kNumberLabel] = std::to_string(number);
  Value deployment = DeploymentOf(service, made, made, name);
  deployment.MapAt("metadata").MapAt("annotations").Set(kMadeOfAnnotation, Text(MadeOf(service, pod, mode)));
  const StringMap labels = SelectedLabels(made, name);
  std::vector<Value> objects;
  objects.push_back(std::move(deployment));
  objects.push_back(RevisionService(service, pod, name, labels));
  if (HasAutoscaler(mode, pod)) objects.push_back(AutoscalerOf(service, made, name));
  return objects;
}

std::optional<LiveRevision> ReadRevision(const Value& deployment) {
  const Value* const owner = OwnerOf(deployment);
  const auto number = manifest::ParseInt64(TextAt(deployment, {"metadata", "labels", kNumberLabel}));
  if (owner == nullptr || !number.has_value() || *number < 1) return std::nullopt;
  LiveRevision revision;
  revision.name = TextAt(deployment, {"metadata", "name"});
  revision.namespace_name = TextAt(deployment, {"metadata", "namespace"});
  revision.component = TextAt(deployment, {"metadata", "labels", kConfigurationLabel});
  revision.number = *number;
  if (revision.name != RevisionName(revision.component, revision.number)) return std::nullopt;
  revision.service = TextAt(*owner, {"name"});
  revision.service_uid = TextAt(*owner, {"uid"});
  StringMap annotations = AnnotationsOf(deployment);
  revision.made_of = annotations[kMadeOfAnnotation];
  if (annotations[kScalingAnnotation] == kByUsage) revision.scaling = RevisionScaling::kByUsage;
  ComponentExtension extension;
  extension.container_concurrency = manifest::ParseInt64(annotations[kConcurrencyAnnotation]);
  if (extension.container_concurrency.value_or(0) < 0) extension.container_concurrency.reset();
  revision.settings = KnativeSettingsOf(extension, annotations).value_or(KnativeSettings{.min_scale = 1});
  const auto timeout = manifest::ParseInt64(annotations[kTimeoutAnnotation]);
  if (timeout.has_value() && *timeout > 0)
    revision.timeout = std::chrono::seconds(std::min(*timeout, kRevisionTimeoutMaxS));
  revision.replicas = NumberAt(deployment, {"spec", "replicas"}, 1);
  revision.ready = NumberAt(deployment, {"status", "readyReplicas"}, 0);
  revision.resource_version = TextAt(deployment, {"metadata", "resourceVersion"});
  return revision;
}

}  // namespace inferd::model
