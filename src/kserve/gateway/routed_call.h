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

// A request in progress. Loop-bound.
class RoutedCall {
 public:
  RoutedCall() = default;
  virtual ~RoutedCall() = default;
  RoutedCall(const RoutedCall&) = delete;
  RoutedCall& operator=(const RoutedCall&) = delete;

  virtual void Start() = 0;

  // The call's index in its owner.
  size_t index = 0;
};

// The owner of all calls of a loop.
class CallOwner {
 public:
  virtual net::EventLoop& loop() = 0;
  virtual net::upstream::Pool& pool() = 0;
  virtual net::upstream::Http2Pool& http2_pool() = 0;
  // Routes a request of the gateway itself with the current table, as if a client had sent it.
  virtual void Forward(net::HttpRequest request, net::Reply reply) = 0;
  // Likewise, with a given route, which need not be in a table.
  virtual void ForwardBy(std::shared_ptr<const Route> route, net::HttpRequest request, net::Reply reply) = 0;
  // Returns a random number below 100.
  virtual uint32_t DrawLot() = 0;
  // The call has answered, or its client is gone. The owner destroys it, possibly while a call of the transport is
  // running.
  virtual void OnDone(RoutedCall& call) = 0;

 protected:
  ~CallOwner() = default;
};

// Answers a route's requests in the gateway itself, without replicas. Immutable and thread-safe.
class LocalService {
 public:
  virtual ~LocalService() = default;
  // `route` contains this service, and keeps it alive.
  virtual std::unique_ptr<RoutedCall> Begin(CallOwner& owner, std::shared_ptr<const Route> route,
                                            net::HttpRequest request, net::Reply reply) const = 0;
};

}  // namespace inferd::gateway
