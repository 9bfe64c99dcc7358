#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/event_loop.h"
#include "net/http/http.h"
#include "net/upstream/http2_pool.h"
#include "net/upstream/pool.h"

namespace inferd::gateway {

struct Route;

// A request on its way to its answer. Loop-bound.
class RoutedCall {
 public:
  RoutedCall() = default;
  virtual ~RoutedCall() = default;
  RoutedCall(const RoutedCall&) = delete;
  RoutedCall& operator=(const RoutedCall&) = delete;

  virtual void Start() = 0;

  // Where its owner has it.
  size_t index = 0;
};

// The owner of a loop's calls.
class CallOwner {
 public:
  virtual net::EventLoop& loop() = 0;
  virtual net::upstream::Pool& pool() = 0;
  virtual net::upstream::Http2Pool& http2_pool() = 0;
  // A request of the gateway's own, by the routes that there are now, as if a client had sent it.
  virtual void Forward(net::HttpRequest request, net::Reply reply) = 0;
  // Likewise, by a route that may be in no table.
  virtual void ForwardBy(std::shared_ptr<const Route> route, net::HttpRequest request, net::Reply reply) = 0;
  // Below 100, by chance.
  virtual uint32_t DrawLot() = 0;
  // It has answered, or no client waits for its answer; it is to be destroyed, perhaps in the middle of a call.
  virtual void OnDone(RoutedCall& call) = 0;

 protected:
  ~CallOwner() = default;
};

// Answers a route's requests in the gateway itself, in place of replicas. Immutable and thread-safe.
class LocalService {
 public:
  virtual ~LocalService() = default;
  // `route` is the one that has this, and keeps it.
  virtual std::unique_ptr<RoutedCall> Begin(CallOwner& owner, std::shared_ptr<const Route> route,
                                            net::HttpRequest request, net::Reply reply) const = 0;
};

}  // namespace inferd::gateway
