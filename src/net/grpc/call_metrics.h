#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/metrics/registry.h"
#include "base/status.h"

namespace inferd::net::grpc {

// Counts and measures calls by method and status: inferd_grpc_calls_total and inferd_grpc_call_duration_seconds, so
// that calls that fail at once do not hide how long the others take. Thread-safe; made where the server is composed.
// The registry outlives it.
class CallMetrics final {
 public:
  explicit CallMetrics(metrics::Registry& registry) : registry_(registry) {}

  // One method's series as one loop holds them: no lock but where a status comes up for the first time. Loop-bound.
  class OfMethod {
   public:
    OfMethod() = default;  // counts nothing
    void Count(base::StatusCode code, int64_t duration_ns);

   private:
    friend class CallMetrics;
    static constexpr size_t kCodes = 17;
    struct OfCode {
      std::shared_ptr<metrics::Counter> calls;
      std::shared_ptr<metrics::Histogram> duration;
    };
    metrics::Registry* registry_ = nullptr;
    std::string method_;
    std::array<OfCode, kCodes> series_;  // null: no call had that code yet
  };

  // `method` is one of our own, "/package.Service/Method", or "unknown" for all others.
  OfMethod ForMethod(std::string_view method);

 private:
  metrics::Registry& registry_;
};

}  // namespace inferd::net::grpc
