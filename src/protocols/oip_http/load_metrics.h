#pragma once

#include <cstdint>

#include "base/system/process_load.h"
#include "net/http/http.h"

namespace inferd::oip_http {

// How loaded the server is, in the head of an inference's answer, for load balancers that ask for it (Open Request Cost
// Aggregation, ORCA): `endpoint-load-metrics-format: text` or `json` asks, `endpoint-load-metrics` answers.
class LoadMetrics final {
 public:
  // Null: nothing is told.
  explicit LoadMetrics(base::ProcessLoad* load) : load_(load) {}

  // Whether the request asks. A format that is not known asks for nothing.
  void Read(const net::RequestHead& head);
  // Nothing where it does not ask. `pending`: requests that wait for the version that answers.
  void AddTo(net::HttpResponse& answer, int64_t pending) const;

 private:
  enum class Format : uint8_t { kNone, kText, kJson };

  base::ProcessLoad* const load_;
  Format format_ = Format::kNone;
};

}  // namespace inferd::oip_http
