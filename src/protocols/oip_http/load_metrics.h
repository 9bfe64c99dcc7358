#pragma once

#include <cstdint>

#include "base/system/process_load.h"
#include "net/http/http.h"

namespace inferd::oip_http {

// Reports the server's load in the head of an inference's response, for load balancers (Open Request Cost Aggregation,
// ORCA). The request header `endpoint-load-metrics-format: text` or `json` asks for it, and `endpoint-load-metrics`
// answers.
class LoadMetrics final {
 public:
  // If `load` is null, nothing is reported.
  explicit LoadMetrics(base::ProcessLoad* load) : load_(load) {}

  // Notes if the request asks for load metrics. An unknown format asks for nothing.
  void Read(const net::RequestHead& head);
  // Does nothing if the request does not ask. `pending` is the number of requests that wait for the answering version.
  void AddTo(net::HttpResponse& answer, int64_t pending) const;

 private:
  enum class Format : uint8_t { kNone, kText, kJson };

  base::ProcessLoad* const load_;
  Format format_ = Format::kNone;
};

}  // namespace inferd::oip_http
