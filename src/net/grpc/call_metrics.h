#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/metrics/registry.h"
#include "base/status.h"

namespace inferd::net::grpc {

// Counts and measures calls by method and status: inferd_grpc_calls_total and inferd_grpc_call_duration_seconds. The
// status keeps calls that fail at once from hiding how long the others take. Thread-safe. Created where the server is
// composed. The registry must outlive it.
class CallMetrics final {
 public:
  explicit CallMetrics(metrics::Registry& registry) : registry_(registry) {}

  // One method's series for one loop. It locks only when a status occurs for the first time. Loop-bound.
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
    std::array<OfCode, kCodes> series_;  // null if no call had that code yet
  };

  // Returns the series of `method`, which is one of our own, "/package.Service/Method", or "unknown" for all others.
  OfMethod ForMethod(std::string_view method);

 private:
  metrics::Registry& registry_;
};

}  // namespace inferd::net::grpc
