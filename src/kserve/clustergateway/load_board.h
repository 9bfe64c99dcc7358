#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "net/http/http.h"

namespace inferd::clustergateway {

// What this gateway tells the others of its load, as text. Thread-safe.
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

// GET /load: the board's report; GET /metrics, as Prometheus reads it. All else is 404. Loop-bound; both outlive it.
std::unique_ptr<net::HttpHandler> MakeStatusHandler(const LoadBoard& board, const metrics::Registry& registry);

}  // namespace inferd::clustergateway
