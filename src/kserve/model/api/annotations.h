#pragma once

#include <string>

// Keys of annotations and labels that decide something (KServe 0.10: constants; Knative: autoscaling).

namespace inferd::model {

inline const std::string kDeploymentModeAnnotation = "serving.kserve.io/deploymentMode";
inline const std::string kAutoscalerClassAnnotation = "serving.kserve.io/autoscalerClass";
inline const std::string kAutoscalerMetricsAnnotation = "serving.kserve.io/metrics";
inline const std::string kTargetUtilizationAnnotation = "serving.kserve.io/targetUtilizationPercentage";
inline const std::string kTagRoutingAnnotation = "serving.kserve.io/enable-tag-routing";

// Of a component's pods: where their model comes from.
inline const std::string kStorageSourceAnnotation = "internal.serving.kserve.io/storage-initializer-sourceuri";

// Likewise, of a storage specification: that there is one, its key in the secret, and its parameters, as JSON.
inline const std::string kStorageSpecAnnotation = "internal.serving.kserve.io/storage-spec";
inline const std::string kStorageSpecKeyAnnotation = "internal.serving.kserve.io/storage-spec-key";
inline const std::string kStorageSpecParametersAnnotation = "internal.serving.kserve.io/storage-spec-param";

// Likewise: that models come and go, the ConfigMap that lists them, where it is mounted, and where the models are.
inline const std::string kAgentAnnotation = "internal.serving.kserve.io/agent";
inline const std::string kModelConfigAnnotation = "internal.serving.kserve.io/configVolumeName";
inline const std::string kConfigDirAnnotation = "internal.serving.kserve.io/configMountPath";
inline const std::string kModelDirAnnotation = "internal.serving.kserve.io/modelDir";

// Likewise: that payloads are logged, where they go, and which of them.
inline const std::string kLoggerAnnotation = "internal.serving.kserve.io/logger";
inline const std::string kLoggerUrlAnnotation = "internal.serving.kserve.io/logger-sink-url";
inline const std::string kLoggerModeAnnotation = "internal.serving.kserve.io/logger-mode";

// Likewise: that requests are put together, and how.
inline const std::string kBatcherAnnotation = "internal.serving.kserve.io/batcher";
inline const std::string kBatchSizeAnnotation = "internal.serving.kserve.io/batcher-max-batchsize";
inline const std::string kBatchLatencyAnnotation = "internal.serving.kserve.io/batcher-max-latency";
inline const std::string kBatchTimeoutAnnotation = "internal.serving.kserve.io/batcher-timeout";

// "false": the server may write to its model (KServe 0.13).
inline const std::string kStorageReadOnlyAnnotation = "storage.kserve.io/readonly";

inline const std::string kGkeAcceleratorAnnotation = "serving.kserve.io/gke-accelerator";
inline const std::string kMetricAggregationAnnotation = "serving.kserve.io/enable-metric-aggregation";
inline const std::string kPrometheusScrapingAnnotation = "serving.kserve.io/enable-prometheus-scraping";
// Where a runtime's own metrics are.
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
// Its like of newer versions of KServe.
inline const std::string kVisibilityLabel = "networking.kserve.io/visibility";
// Of a revision's objects: its name, and that of its component.
inline const std::string kRevisionLabel = "serving.knative.dev/revision";
inline const std::string kConfigurationLabel = "serving.knative.dev/configuration";

inline const std::string kRolloutDurationAnnotation = "serving.knative.dev/rollout-duration";

// Why a default runtime of ours is disabled, for users of its format.
inline const std::string kDisabledReasonAnnotation = "serving.inferd.io/disabled-reason";

}  // namespace inferd::model
