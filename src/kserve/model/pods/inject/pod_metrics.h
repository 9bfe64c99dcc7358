#pragma once

#include "kserve/model/api/inference_service_config.h"
#include "kserve/model/pods/inject/pod_injection.h"
#include "kserve/model/pods/pod_resolution.h"

namespace inferd::model {

// Leads Prometheus to the pod's metrics where its annotation `serving.kserve.io/enable-prometheus-scraping`, else the
// configuration, says "true" (KServe 0.10: metrics aggregator). They are:
//
// - without Knative, the server's own: by the annotations prometheus.kserve.io/port and path, else 8080 and /metrics;
// - with Knative, those of its queue-proxy, 9091; or 9088, the queue-proxy's with the server's, where
//   `serving.kserve.io/enable-metric-aggregation` says "true". A queue-proxy that is there is told the server's place.
//
// Any thread.
void InjectMetrics(const PodInjection& injection, ResolvedPod& pod);

}  // namespace inferd::model
