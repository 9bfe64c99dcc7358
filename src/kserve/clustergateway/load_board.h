#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "net/http/http.h"

namespace inferd::clustergateway {

// This gateway's current load report, as text, for the other gateways. Thread-safe.
class LoadBoard final {
 public:
  void Post(std::string report) {
    const base::MutexLock lock(mutex_);
    report_ = std::move(report);
  }
  std::string Read() const {
    const base::MutexLock lock(mutex_);
    return report_;
  }

 private:
  mutable base::Mutex mutex_;
  std::string report_ GUARDED_BY(mutex_);
};

// Serves GET /load (the board's report) and GET /metrics (Prometheus' text format). Other requests get 404. Loop-bound.
// Both references must outlive the handler.
std::unique_ptr<net::HttpHandler> MakeStatusHandler(const LoadBoard& board, const metrics::Registry& registry);

}  // namespace inferd::clustergateway
