#pragma once

#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Leads Prometheus to the pod's metrics if the annotation `serving.kserve.io/enable-prometheus-scraping`, or else the
// configuration, is "true" (KServe 0.10: metrics aggregator). The metrics are:
//
// - without Knative, the server's own, at the annotations prometheus.kserve.io/port and path (default 8080 and
//   /metrics);
// - with Knative, the queue-proxy's on port 9091. If `serving.kserve.io/enable-metric-aggregation` is "true", port 9088
//   has the queue-proxy's and the server's together. An existing queue-proxy gets variables with the server's port and
//   path.
//
// Thread-safe.
void InjectMetrics(const PodInjection& injection, ResolvedPod& pod);

}  // namespace inferd::model
