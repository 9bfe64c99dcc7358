#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/logging.h"
#include "base/status.h"
#include "net/client/http_client.h"
#include "serving/tracing/export_queue.h"
#include "serving/tracing/otlp_json.h"

namespace inferd::tracing {

// Posts traces to an OpenTelemetry collector, as OTLP over HTTP with JSON. Traces that it does not accept are lost.
class OtlpExporter final : public TraceExporter {
 public:
  // `url` is the collector's URL for traces, as in http://localhost:4318/v1/traces. INVALID_ARGUMENT if it is not
  // valid.
  static base::Result<std::unique_ptr<OtlpExporter>> Create(const std::string& url, Attributes resource,
                                                            base::Logger& logger);

  bool Export(std::vector<TraceRecord> records) override;

 private:
  OtlpExporter(std::unique_ptr<net::HttpClient> client, Attributes resource, base::Logger& logger)
      : client_(std::move(client)), resource_(std::move(resource)), logger_(logger) {}

  base::Status Post(std::vector<TraceRecord> records);

  const std::unique_ptr<net::HttpClient> client_;
  const Attributes resource_;
  const base::SystemClock clock_;
  base::Logger& logger_;
  bool failing_ = false;
};

}  // namespace inferd::tracing
