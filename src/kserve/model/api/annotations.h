#pragma once

#include <string>

// Keys of the annotations and labels that KServe (0.10: constants) and Knative (autoscaling) act on.

namespace inferd::model {

inline const std::string kDeploymentModeAnnotation = "serving.kserve.io/deploymentMode";
inline const std::string kAutoscalerClassAnnotation = "serving.kserve.io/autoscalerClass";
inline const std::string kAutoscalerMetricsAnnotation = "serving.kserve.io/metrics";
inline const std::string kTargetUtilizationAnnotation = "serving.kserve.io/targetUtilizationPercentage";
inline const std::string kTagRoutingAnnotation = "serving.kserve.io/enable-tag-routing";

// On a component's pods: the URI of their model.
inline const std::string kStorageSourceAnnotation = "internal.serving.kserve.io/storage-initializer-sourceuri";

// On a component's pods: "true" if they have a storage specification, then its key in the secret, and its parameters as
// JSON.
inline const std::string kStorageSpecAnnotation = "internal.serving.kserve.io/storage-spec";
inline const std::string kStorageSpecKeyAnnotation = "internal.serving.kserve.io/storage-spec-key";
inline const std::string kStorageSpecParametersAnnotation = "internal.serving.kserve.io/storage-spec-param";

// On a component's pods: "true" if the predictor serves TrainedModels, then the ConfigMap that lists the models, its
// mount path, and the models' folder.
inline const std::string kAgentAnnotation = "internal.serving.kserve.io/agent";
inline const std::string kModelConfigAnnotation = "internal.serving.kserve.io/configVolumeName";
inline const std::string kConfigDirAnnotation = "internal.serving.kserve.io/configMountPath";
inline const std::string kModelDirAnnotation = "internal.serving.kserve.io/modelDir";

// On a component's pods: "true" if payloads are logged, then the URL that receives them, and the mode (all, request,
// response).
inline const std::string kLoggerAnnotation = "internal.serving.kserve.io/logger";
inline const std::string kLoggerUrlAnnotation = "internal.serving.kserve.io/logger-sink-url";
inline const std::string kLoggerModeAnnotation = "internal.serving.kserve.io/logger-mode";

// On a component's pods: "true" if requests are batched, then the batcher's limits.
inline const std::string kBatcherAnnotation = "internal.serving.kserve.io/batcher";
inline const std::string kBatchSizeAnnotation = "internal.serving.kserve.io/batcher-max-batchsize";
inline const std::string kBatchLatencyAnnotation = "internal.serving.kserve.io/batcher-max-latency";
inline const std::string kBatchTimeoutAnnotation = "internal.serving.kserve.io/batcher-timeout";

// "false" if the server may write to the volume of its model (KServe 0.13).
inline const std::string kStorageReadOnlyAnnotation = "storage.kserve.io/readonly";

inline const std::string kGkeAcceleratorAnnotation = "serving.kserve.io/gke-accelerator";
inline const std::string kMetricAggregationAnnotation = "serving.kserve.io/enable-metric-aggregation";
inline const std::string kPrometheusScrapingAnnotation = "serving.kserve.io/enable-prometheus-scraping";
// The port and path of a runtime's own metrics.
inline const std::string kRuntimeMetricsPortAnnotation = "prometheus.kserve.io/port";
inline const std::string kRuntimeMetricsPathAnnotation = "prometheus.kserve.io/path";

inline const std::string kInferenceServiceLabel = "serving.kserve.io/inferenceservice";
inline const std::string kInferenceGraphLabel = "serving.kserve.io/inferencegraph";
inline const std::string kComponentLabel = "component";

inline const std::string kKnativeClassAnnotation = "autoscaling.knative.dev/class";
inline const std::string kKnativeMinScaleAnnotation = "autoscaling.knative.dev/min-scale";
inline const std::string kKnativeMaxScaleAnnotation = "autoscaling.knative.dev/max-scale";
inline const std::string kKnativeTargetAnnotation = "autoscaling.knative.dev/target";
inline const std::string kKnativeMetricAnnotation = "autoscaling.knative.dev/metric";
inline const std::string kKnativeVisibilityLabel = "networking.knative.dev/visibility";
// The same label in newer versions of KServe.
inline const std::string kVisibilityLabel = "networking.kserve.io/visibility";
// On a revision's objects: the names of the revision and of its component.
inline const std::string kRevisionLabel = "serving.knative.dev/revision";
inline const std::string kConfigurationLabel = "serving.knative.dev/configuration";

inline const std::string kRolloutDurationAnnotation = "serving.knative.dev/rollout-duration";

// On a disabled default runtime of inferd: the reason, shown to users of its format.
inline const std::string kDisabledReasonAnnotation = "serving.inferd.io/disabled-reason";

}  // namespace inferd::model
