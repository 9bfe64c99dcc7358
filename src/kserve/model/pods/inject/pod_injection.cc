#include "kserve/model/pods/inject/pod_injection.h"

#include <utility>

#include "data/manifest/fields.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/api/pod_spec.h"
#include "kserve/model/pods/inject/agent_container.h"
#include "kserve/model/pods/inject/initializer_container.h"
#include "kserve/model/pods/inject/pod_metrics.h"
#include "kserve/model/pods/inject/sidecar.h"

namespace inferd::model {

namespace {

using manifest::Fields;
using manifest::Value;

constexpr std::string_view kGpuResource = "nvidia.com/gpu";
constexpr std::string_view kGkeSelector = "cloud.google.com/gke-accelerator";

bool GivesGpus(const Value& pod_spec) {
  const Value* const containers = pod_spec.Find("containers");
  if (containers == nullptr) return false;
  for (const Value& container : containers->items()) {
    const Value* const resources = container.Find("resources");
    const Value* const limits = resources == nullptr ? nullptr : resources->Find("limits");
    if (limits != nullptr && limits->Find(kGpuResource) != nullptr) return true;
  }
  return false;
}

void SelectAccelerator(ResolvedPod& pod) {
  const std::string accelerator = AnnotationOf(pod, kGkeAcceleratorAnnotation);
  if (accelerator.empty() || !GivesGpus(pod.pod_spec)) return;
  pod.pod_spec.MapAt("nodeSelector").Set(kGkeSelector, Value::String(accelerator));
}

// Reads the parts of a pod's document that an injection needs. Returns the first problem.
base::Status ReadPod(const Value& document, ResolvedPod& pod, std::string& name) {
  manifest::Problems problems;
  Fields object(document, "", problems);
  if (std::optional<Fields> metadata = object.Map("metadata")) {
    metadata->Read("name", name);
    metadata->Read("labels", pod.labels);
    metadata->Read("annotations", pod.annotations);
  }
  if (std::optional<Fields> spec = object.Map("spec")) {
    CheckPodSpec(*spec, ProbeCheck::kTypes);
    pod.pod_spec = spec->value();
  } else if (object.Find("spec") == nullptr) {
    object.Fail("spec", "is required");
  }
  if (problems.empty()) return base::OkStatus();
  // The document belongs to no file, so a line number would mean nothing.
  const manifest::Problem& first = problems.front();
  return base::InvalidArgument(first.path.empty() ? first.message : first.path + ": " + first.message);
}

}  // namespace

base::Result<ResolvedPod> InjectPod(ResolvedPod pod, const PodInjection& injection) {
  PodInjection complete = injection;
  if (!complete.find) complete.find = [](std::string_view, std::string_view) { return std::optional<Value>(); };
  SelectAccelerator(pod);
  INFERD_RETURN_IF_ERROR(InjectStorageInitializer(complete, pod));
  INFERD_RETURN_IF_ERROR(InjectAgent(complete, pod));
  InjectMetrics(complete, pod);
  return pod;
}

base::Result<Value> InjectPodDocument(Value document, std::string_view namespace_name, PodInjection injection) {
  ResolvedPod pod;
  pod.namespace_name = namespace_name;
  INFERD_RETURN_IF_ERROR(ReadPod(document, pod, injection.pod_name));
  const StringMap annotations = pod.annotations;
  INFERD_ASSIGN_OR_RETURN(pod, InjectPod(std::move(pod), injection));
  document.Set("spec", std::move(pod.pod_spec));
  if (pod.annotations != annotations) {
    document.MapAt("metadata").Set("annotations", Value::StringMap(pod.annotations));
  }
  return document;
}

}  // namespace inferd::model
