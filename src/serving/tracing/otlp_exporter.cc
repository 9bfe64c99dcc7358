#include "serving/tracing/otlp_exporter.h"

#include <chrono>
#include <utility>

namespace inferd::tracing {

namespace {

using std::chrono_literals::operator""s;

constexpr size_t kAnswerBytesMax = 1 << 20;
constexpr int kOkMin = 200;
constexpr int kOkMax = 299;

}  // namespace

base::Result<std::unique_ptr<OtlpExporter>> OtlpExporter::Create(const std::string& url, Attributes resource,
                                                                 base::Logger& logger) {
  INFERD_ASSIGN_OR_RETURN(
      auto client,
      net::HttpClient::Create({.url = url, .connect_timeout = 1s, .timeout = 2s, .body_bytes_max = kAnswerBytesMax}));
  return std::unique_ptr<OtlpExporter>(new OtlpExporter(std::move(client), std::move(resource), logger));
}

bool OtlpExporter::Export(std::vector<TraceRecord> records) {
  const base::Status status = Post(std::move(records));
  if (!status.ok() && !failing_) {
    logger_.Error("traces are lost", {{"collector", client_->url()}, {"error", status.message()}});
  }
  if (status.ok() && failing_) logger_.Info("traces are taken again", {{"collector", client_->url()}});
  failing_ = !status.ok();
  return !failing_;
}

base::Status OtlpExporter::Post(std::vector<TraceRecord> records) {
  const net::ClientRequest request{.method = "POST",
                                   .headers = {{"Content-Type", "application/json"}},
                                   .body = OtlpJson(records, resource_, clock_.WallNs() - clock_.NowNs())};
  INFERD_ASSIGN_OR_RETURN(const net::ClientResponse answer, client_->Call(request));
  if (answer.status >= kOkMin && answer.status <= kOkMax) return {};
  return base::Unavailable("answered " + std::to_string(answer.status));
}

}  // namespace inferd::tracing
