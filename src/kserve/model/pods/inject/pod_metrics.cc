#include "kserve/model/pods/inject/pod_metrics.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "kserve/model/api/annotations.h"
#include "kserve/model/pods/inject/sidecar.h"
#include "kserve/model/pods/pod_parts.h"

namespace inferd::model {

namespace {

using manifest::Value;

constexpr std::string_view kTrue = "true";
constexpr std::string_view kRuntimeMetricsPort = "8080";
constexpr std::string_view kMetricsPath = "/metrics";
constexpr std::string_view kQueueProxyPort = "9091";
constexpr std::string_view kAggregatePort = "9088";
constexpr std::string_view kAggregatePortName = "aggr-metric";

// Returns the value of the pod's annotation. If it has none, adds the annotation with the configuration's value.
std::string MetricsSetting(const std::string& key, const std::string& otherwise, ResolvedPod& pod) {
  const auto found = pod.annotations.find(key);
  if (found != pod.annotations.end()) return found->second;
  if (!otherwise.empty()) pod.annotations[key] = otherwise;
  return otherwise;
}

std::string OrDefault(std::string text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : std::move(text);
}

void TellQueueProxy(const std::string& port, const std::string& path, Value& queue_proxy) {
  const std::array<std::pair<const char*, std::string>, 3> variables = {
      {{"KSERVE_CONTAINER_PROMETHEUS_METRICS_PORT", port},
       {"KSERVE_CONTAINER_PROMETHEUS_METRICS_PATH", path},
       {"AGGREGATE_PROMETHEUS_METRICS_PORT", std::string(kAggregatePort)}}};
  for (const auto& [name, value] : variables) {
    if (FindNamed(queue_proxy, "env", name) != nullptr) continue;
    ListOf(queue_proxy, "env").push_back(Value::Map({{"name", Text(name)}, {"value", Text(value)}}));
  }
  if (FindNamed(queue_proxy, "ports", kAggregatePortName) != nullptr) return;
  ListOf(queue_proxy, "ports")
      .push_back(Value::Map({{"name", Text(kAggregatePortName)},
                             {"containerPort", Value::Number(std::string(kAggregatePort))},
                             {"protocol", Text("TCP")}}));
}

}  // namespace

void InjectMetrics(const PodInjection& injection, ResolvedPod& pod) {
  const auto& settings = injection.config.metrics;
  Value* const queue_proxy = FindNamed(pod.pod_spec, "containers", "queue-proxy");
  const bool knative = queue_proxy != nullptr || injection.form == PodForm::kRevision;
  const std::string port = OrDefault(AnnotationOf(pod, kRuntimeMetricsPortAnnotation), kRuntimeMetricsPort);
  const std::string path = OrDefault(AnnotationOf(pod, kRuntimeMetricsPathAnnotation), kMetricsPath);
  const bool aggregated = MetricsSetting(kMetricAggregationAnnotation, settings.aggregation, pod) == kTrue && knative;
  if (aggregated && queue_proxy != nullptr) TellQueueProxy(port, path, *queue_proxy);
  if (MetricsSetting(kPrometheusScrapingAnnotation, settings.scraping, pod) != kTrue) return;
  pod.annotations.emplace("prometheus.io/scrape", kTrue);
  pod.annotations["prometheus.io/port"] = knative ? std::string(aggregated ? kAggregatePort : kQueueProxyPort) : port;
  pod.annotations["prometheus.io/path"] = knative ? std::string(kMetricsPath) : path;
}

}  // namespace inferd::model
