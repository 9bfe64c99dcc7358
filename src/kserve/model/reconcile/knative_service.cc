#include <utility>

#include "kserve/model/api/annotations.h"
#include "kserve/model/reconcile/object_parts.h"
#include "kserve/model/reconcile/serverless_objects.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr int64_t kDefaultTimeoutS = 300;

// Returns the pod's spec for a Knative revision, with Knative's defaults.
Value RevisionSpec(const ResolvedPod& pod) {
  Value spec = pod.pod_spec;
  spec.Set("containerConcurrency", Number(pod.extension.container_concurrency.value_or(0)));
  spec.Set("timeoutSeconds", Number(pod.extension.timeout_s.value_or(kDefaultTimeoutS)));
  if (spec.Find("enableServiceLinks") == nullptr) spec.Set("enableServiceLinks", Value::Bool(false));
  return spec;
}

}  // namespace

StringMap RevisionAnnotations(const ResolvedPod& pod) {
  const ComponentExtension& extension = pod.extension;
  StringMap annotations = pod.annotations;
  annotations.erase(kRolloutDurationAnnotation);
  annotations[kKnativeMinScaleAnnotation] = std::to_string(extension.min_replicas.value_or(1));
  if (extension.max_replicas != 0) annotations[kKnativeMaxScaleAnnotation] = std::to_string(extension.max_replicas);
  annotations.emplace(kKnativeClassAnnotation, "kpa.autoscaling.knative.dev");
  if (extension.scale_target.has_value()) {
    annotations[kKnativeTargetAnnotation] = std::to_string(*extension.scale_target);
  }
  if (extension.scale_metric.has_value()) annotations[kKnativeMetricAnnotation] = *extension.scale_metric;
  return annotations;
}

Value KnativeServiceOf(const ObjectOwner& owner, const std::string& name, const ResolvedPod& pod,
                       const Rollout& rollout) {
  StringMap annotations;
  const std::string_view rollout_duration = owner.metadata.annotation(kRolloutDurationAnnotation);
  if (!rollout_duration.empty()) annotations[kRolloutDurationAnnotation] = rollout_duration;
  Value object = BeginObject("serving.knative.dev/v1", "Service", name, owner, pod.labels, annotations);
  StringMap revision_labels = pod.labels;
  revision_labels.erase(kKnativeVisibilityLabel);
  Value metadata = Value::Map(
      {{"labels", Value::StringMap(revision_labels)}, {"annotations", Value::StringMap(RevisionAnnotations(pod))}});
  const bool tag_routing = owner.metadata.annotation(kTagRoutingAnnotation) == "true";
  const std::vector<TrafficTarget> traffic =
      SplitTraffic(pod.extension.canary_traffic_percent, rollout.latest_rolled_out, tag_routing);
  object.Set("spec",
             Value::Map({{"template", Value::Map({{"metadata", std::move(metadata)}, {"spec", RevisionSpec(pod)}})},
                         {"traffic", TrafficDocument(traffic)}}));
  return object;
}

}  // namespace inferd::model
