#include "protocols/oip_http/load_metrics.h"

#include <string>

#include "base/text/ascii_case.h"
#include "data/json/writer.h"

namespace inferd::oip_http {

namespace {

constexpr std::string_view kAsked = "endpoint-load-metrics-format";
constexpr std::string_view kAnswered = "endpoint-load-metrics";

}  // namespace

void LoadMetrics::Read(const net::RequestHead& head) {
  if (load_ == nullptr) return;
  const std::string_view format = head.Find(kAsked).value_or("");
  if (base::EqualWithoutCase(format, "text")) format_ = Format::kText;
  if (base::EqualWithoutCase(format, "json")) format_ = Format::kJson;
}

void LoadMetrics::AddTo(net::HttpResponse& answer, int64_t pending) const {
  if (format_ == Format::kNone) return;
  const double cpu = load_->CpuUtilization();
  if (format_ == Format::kText) {
    answer.headers.emplace_back(kAnswered, "TEXT cpu_utilization=" + std::to_string(cpu) +
                                               ", named_metrics.pending_requests=" + std::to_string(pending));
    return;
  }
  json::Writer writer;
  writer.BeginObject();
  writer.Member("cpu_utilization", cpu);
  writer.Key("named_metrics");
  writer.BeginObject();
  writer.Member("pending_requests", pending);
  writer.EndObject();
  writer.EndObject();
  answer.headers.emplace_back(kAnswered, "JSON " + writer.TakeString());
}

}  // namespace inferd::oip_http
