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

// What is said to requests of a backend that was closed.
std::string GoneText(const std::string& name);

// A process that answers requests of a backend.
struct Replica {
  Replica(net::upstream::Address where, net::upstream::Address where_grpc)
      : address(std::move(where)), grpc_address(std::move(where_grpc)) {}

  const net::upstream::Address address;
  const net::upstream::Address grpc_address;  // of calls of gRPC, over HTTP/2
  // The backend's lock guards these.
  size_t in_flight = 0;
  size_t requests_max = 0;  // that it gets at a time; 0: any number
  bool leaving = false;     // it gets no further requests
};

// Where a replica takes requests.
struct ReplicaPlace {
  ReplicaPlace(net::upstream::Address where)  // NOLINT(google-explicit-constructor): most have one
      : address(where), grpc_address(std::move(where)) {}
  ReplicaPlace(net::upstream::Address where, net::upstream::Address where_grpc)
      : address(std::move(where)), grpc_address(std::move(where_grpc)) {}

  net::upstream::Address address;
  net::upstream::Address grpc_address;
  std::optional<size_t> requests_max{};  // that it gets at a time; 0: any number; nullopt: as all of the backend
};

// One request's place on a replica, from which it is let go of with this. Move-only, for any thread.
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

// What a backend has been asked to do since the last look, as autoscaling counts it (Knative: concurrency is the
// requests that wait or are executed, requests per second those that have come).
struct BackendLoad {
  double concurrency = 0;  // on average over the time since the last look
  double rate = 0;         // requests per second
  size_t in_flight = 0;    // now, those that wait included
  size_t waiting = 0;
};

struct BackendOptions {
  size_t replica_concurrency = 0;  // requests that a replica gets at a time (containerConcurrency); 0: any number
  size_t waiting_max = 1'000;      // requests that wait for a replica; further ones are refused
};

// Processes that answer the same requests: replicas come and go, requests wait while there is none, or while all have
// as many as they may. Waiting requests get their places in the order in which they came. Thread-safe; held by
// shared_ptr.
class Backend final : public std::enable_shared_from_this<Backend> {
 public:
  using Granted = std::move_only_function<void(Lease)>;  // empty: the backend was closed

  // A request that waits. Destroying it on the loop gives the place in the queue up.
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

  // `on_demand` is called when a request begins to wait while there is no replica at all; from any thread, without a
  // lock.
  Backend(std::string name, BackendOptions options, std::function<void()> on_demand = nullptr);
  ~Backend();

  const std::string& name() const { return name_; }

  // A place for a request of this loop, whose thread this is: at once if a replica has one; else `granted` is told
  // later, on the loop. `not_on`: a replica that has just failed, which is taken only where there is no other.
  // RESOURCE_EXHAUSTED: too many wait; UNAVAILABLE: it was closed.
  struct Place {
    Lease lease;  // empty: it waits
    std::unique_ptr<Wait> wait;
  };
  base::Result<Place> Acquire(net::Loop& loop, Granted granted, const Replica* not_on = nullptr);

  // What it stands for is there no more: requests that wait are told so, and later ones refused. Those that replicas
  // have are answered.
  void Close();

  // The replicas that take requests from now on. Those with requests keep them until they are answered.
  void SetReplicas(std::vector<ReplicaPlace> places);
  size_t replicas() const;
  // Requests that wait for a replica.
  size_t waiting() const;
  // Of the address: requests that it has. A replica that is left out of SetReplicas counts until it has none.
  size_t InFlightOn(const std::string& address) const;

  BackendLoad TakeLoad(int64_t now_ns);

 private:
  friend class Lease;

  struct Granting;

  void Release(const std::shared_ptr<Replica>& replica);
  std::shared_ptr<Replica> FindFree(const Replica* not_on) REQUIRES(mutex_);
  // The requests that can be served now, to be told without the lock.
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
  size_t next_ GUARDED_BY(mutex_) = 0;  // where the search for a free one begins
  std::deque<std::shared_ptr<Wait::Waiter>> waiting_ GUARDED_BY(mutex_);
  size_t in_flight_ GUARDED_BY(mutex_) = 0;
  uint64_t arrived_ GUARDED_BY(mutex_) = 0;  // since the last look
  int64_t looked_ns_ GUARDED_BY(mutex_);
  int64_t counted_ns_ GUARDED_BY(mutex_);
  double request_ns_ GUARDED_BY(mutex_) = 0;  // requests in flight, integrated over time, since the last look
};

}  // namespace inferd::gateway
