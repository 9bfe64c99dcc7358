#include "net/grpc/call_metrics.h"

namespace inferd::net::grpc {

CallMetrics::OfMethod CallMetrics::ForMethod(std::string_view method) {
  if (method.starts_with('/')) method.remove_prefix(1);
  OfMethod series;
  series.registry_ = &registry_;
  series.method_ = method;
  return series;
}

void CallMetrics::OfMethod::Count(base::StatusCode code, int64_t duration_ns) {
  if (registry_ == nullptr) return;
  OfCode& series = series_[static_cast<size_t>(code)];
  if (series.calls == nullptr) {
    const metrics::Labels labels = {{"method", method_}, {"code", std::string(base::StatusCodeName(code))}};
    series.calls = registry_->AddCounter("inferd_grpc_calls_total", "gRPC calls by method and status", labels);
    series.duration =
        registry_->AddHistogram("inferd_grpc_call_duration_seconds", "From a call's first byte to its status", labels,
                                metrics::LatencyBoundsSeconds());
  }
  series.calls->Add();
  series.duration->Observe(static_cast<double>(duration_ns) / 1e9);
}

}  // namespace inferd::net::grpc
