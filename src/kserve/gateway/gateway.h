#pragma once

#include <atomic>
#include <memory>

#include "base/mutex.h"
#include "kserve/gateway/route_table.h"
#include "net/http/http.h"
#include "net/upstream/pool.h"

namespace inferd::gateway {

// Sends the requests of listeners on to replicas, by a table that may be exchanged at any time: requests that have
// begun keep the one they began with. Thread-safe; outlives the listeners.
class Gateway final {
 public:
  explicit Gateway(net::upstream::PoolOptions options);

  // Before it has listeners: control calls of clients (IsControlCall) go on to replicas, too. They are refused
  // otherwise.
  void PassControlCalls() { passes_control_calls_ = true; }

  void SetRoutes(std::shared_ptr<const RouteTable> routes);
  std::shared_ptr<const RouteTable> routes() const;

  // For a listener (net::ListenerOptions::handlers), whose loops are net::EventLoops.
  net::HandlerFactory Handlers();

 private:
  const net::upstream::PoolOptions options_;
  bool passes_control_calls_ = false;
  mutable base::Mutex mutex_;
  std::shared_ptr<const RouteTable> routes_ GUARDED_BY(mutex_);
  std::atomic<uint64_t> version_{0};  // of routes_: handlers look at the table again only where it has changed

  class Handler;
};

}  // namespace inferd::gateway
