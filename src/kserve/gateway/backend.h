#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "net/loop/loop.h"
#include "net/upstream/address.h"

namespace inferd::gateway {

class Backend;

// Returns the error text for requests of a closed backend.
std::string GoneText(const std::string& name);

// A process that answers the requests of a backend.
struct Replica {
  Replica(net::upstream::Address where, net::upstream::Address where_grpc)
      : address(std::move(where)), grpc_address(std::move(where_grpc)) {}

  const net::upstream::Address address;
  const net::upstream::Address grpc_address;  // for gRPC calls, over HTTP/2
  // Guarded by the backend's lock.
  size_t in_flight = 0;
  size_t requests_max = 0;  // limit of requests in flight; 0 for none
  bool leaving = false;     // it gets no new requests
};

// The address of a replica, and its limit.
struct ReplicaPlace {
  ReplicaPlace(net::upstream::Address where)  // NOLINT(google-explicit-constructor): most have one
      : address(where), grpc_address(std::move(where)) {}
  ReplicaPlace(net::upstream::Address where, net::upstream::Address where_grpc)
      : address(std::move(where)), grpc_address(std::move(where_grpc)) {}

  net::upstream::Address address;
  net::upstream::Address grpc_address;
  std::optional<size_t> requests_max{};  // limit of requests in flight; 0 for none, nullopt for the backend's default
};

// A request's slot at a replica. Its destructor releases the slot. Move-only; may be used on any thread.
class Lease {
 public:
  Lease() = default;
  Lease(std::shared_ptr<Backend> backend, std::shared_ptr<Replica> replica)
      : backend_(std::move(backend)), replica_(std::move(replica)) {}
  ~Lease() { Release(); }
  Lease(Lease&&) = default;
  Lease& operator=(Lease&& other) noexcept {
    Release();
    backend_ = std::move(other.backend_);
    replica_ = std::move(other.replica_);
    return *this;
  }

  explicit operator bool() const { return replica_ != nullptr; }
  const net::upstream::Address& address() const { return replica_->address; }
  const net::upstream::Address& grpc_address() const { return replica_->grpc_address; }
  const std::shared_ptr<Replica>& replica() const { return replica_; }
  void Release();

 private:
  std::shared_ptr<Backend> backend_;
  std::shared_ptr<Replica> replica_;
};

// The load of a backend since the last measurement, as autoscaling counts it (Knative: concurrency is the number of
// waiting and running requests, rate is the number of new requests per second).
struct BackendLoad {
  double concurrency = 0;  // average since the last measurement
  double rate = 0;         // new requests per second
  size_t in_flight = 0;    // current requests, including waiting ones
  size_t waiting = 0;
};

struct BackendOptions {
  size_t replica_concurrency = 0;  // limit of requests in flight per replica (containerConcurrency); 0 for none
  size_t waiting_max = 1'000;      // limit of waiting requests; further ones are refused
};

// A group of replicas that answer the same requests. Replicas may be added and removed at any time. Requests wait while
// there is no replica, or while all are at their limit; they get slots in the order of arrival. Thread-safe; held by
// shared_ptr.
class Backend final : public std::enable_shared_from_this<Backend> {
 public:
  using Granted = std::move_only_function<void(Lease)>;  // the lease is empty if the backend was closed

  // A waiting request. Destroying it on its loop leaves the queue.
  class Wait {
   public:
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    friend class Backend;
    struct Waiter;
    Wait(std::shared_ptr<Backend> backend, std::shared_ptr<Waiter> waiter)
        : backend_(std::move(backend)), waiter_(std::move(waiter)) {}

    const std::shared_ptr<Backend> backend_;
    const std::shared_ptr<Waiter> waiter_;
  };

  // `on_demand` is called when a request begins to wait while there is no replica. It is called on any thread, without
  // a lock.
  Backend(std::string name, BackendOptions options, std::function<void()> on_demand = nullptr);
  ~Backend();

  const std::string& name() const { return name_; }

  // Requests a slot. Must be called on the thread of the request's loop. Returns a lease if a replica has a free slot;
  // otherwise `granted` is called later, on the loop. `not_on` is a replica that has just failed; it is used only if
  // there is no other. RESOURCE_EXHAUSTED if too many requests wait; UNAVAILABLE if the backend was closed.
  struct Place {
    Lease lease;  // empty if the request must wait
    std::unique_ptr<Wait> wait;
  };
  base::Result<Place> Acquire(net::Loop& loop, Granted granted, const Replica* not_on = nullptr);

  // Closes the backend, because its revision or service is gone. Waiting and later requests fail. Requests in flight
  // are answered.
  void Close();

  // Sets the current replicas. A removed replica finishes its requests in flight.
  void SetReplicas(std::vector<ReplicaPlace> places);
  size_t replicas() const;
  // Returns the number of requests that wait for a replica.
  size_t waiting() const;
  // Returns the number of requests in flight at that address. Includes those of a removed replica until they are
  // answered.
  size_t InFlightOn(const std::string& address) const;

  BackendLoad TakeLoad(int64_t now_ns);

 private:
  friend class Lease;

  struct Granting;

  void Release(const std::shared_ptr<Replica>& replica);
  std::shared_ptr<Replica> FindFree(const Replica* not_on) REQUIRES(mutex_);
  // Returns the waiting requests that can be served now. The caller must notify them without the lock.
  std::vector<Granting> GrantWaiting() REQUIRES(mutex_);
  void Tell(std::vector<Granting> granted) EXCLUDES(mutex_);
  void Count(int64_t change) REQUIRES(mutex_);

  const std::string name_;
  const BackendOptions options_;
  const std::function<void()> on_demand_;
  mutable base::Mutex mutex_;
  std::vector<std::shared_ptr<Replica>> replicas_ GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<Replica>> leaving_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
  size_t next_ GUARDED_BY(mutex_) = 0;  // where the search for a free replica starts
  std::deque<std::shared_ptr<Wait::Waiter>> waiting_ GUARDED_BY(mutex_);
  size_t in_flight_ GUARDED_BY(mutex_) = 0;
  uint64_t arrived_ GUARDED_BY(mutex_) = 0;  // since the last measurement
  int64_t looked_ns_ GUARDED_BY(mutex_);
  int64_t counted_ns_ GUARDED_BY(mutex_);
  double request_ns_ GUARDED_BY(mutex_) = 0;  // integral of requests in flight over time, since the last measurement
};

}  // namespace inferd::gateway
