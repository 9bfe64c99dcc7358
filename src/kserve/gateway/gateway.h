#pragma once

#include <atomic>
#include <memory>

#include "base/mutex.h"
#include "kserve/gateway/route_table.h"
#include "net/http/http.h"
#include "net/upstream/pool.h"

namespace inferd::gateway {

// Forwards requests to replicas. The route table may be replaced at any time; a request keeps the table with which it
// started. Thread-safe. Must outlive its listeners.
class Gateway final {
 public:
  explicit Gateway(net::upstream::PoolOptions options);

  // Forwards control calls of clients (IsControlCall) to replicas; by default they are refused. Call it before
  // listeners are created.
  void PassControlCalls() { passes_control_calls_ = true; }

  void SetRoutes(std::shared_ptr<const RouteTable> routes);
  std::shared_ptr<const RouteTable> routes() const;

  // Returns the handlers of a listener (net::ListenerOptions::handlers). Its loops must be net::EventLoops.
  net::HandlerFactory Handlers();

 private:
  const net::upstream::PoolOptions options_;
  bool passes_control_calls_ = false;
  mutable base::Mutex mutex_;
  std::shared_ptr<const RouteTable> routes_ GUARDED_BY(mutex_);
  std::atomic<uint64_t> version_{0};  // of routes_; a handler reloads the table only if this has changed

  class Handler;
};

}  // namespace inferd::gateway
