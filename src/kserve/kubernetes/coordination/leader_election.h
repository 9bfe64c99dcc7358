#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "kserve/kubernetes/coordination/lease_store.h"
#include "storage/transfer/backoff.h"

namespace inferd::kubernetes {

struct LeaderElectionOptions {
  std::string identity;                 // unique to this process
  std::chrono::seconds lease_time{15};  // another process may take a lease that was not renewed for this time
  std::chrono::milliseconds renew_deadline{10'000};  // without a renewal leads() then ends; at most 2/3 of lease_time
  std::chrono::milliseconds pause{2'000};            // between attempts
  Pause wait = storage::PauseFor;
};

// Elects a leader among processes by a Lease, as Kubernetes' own controllers do. The holder renews it. Another process
// takes it if it has not changed for the lease time.
//
//   leads(), and only then: write, create, delete
//
// The processes' clocks must run at the same rate, but need not show the same time. Each process measures with its own
// monotonic clock how long the lease has not changed, and how long ago it renewed it. The times in the lease are for
// people. leads() becomes false `renew_deadline` after the last successful renewal was started. That is before another
// process can take the lease, even while a request hangs or the server is away. A process that was suspended between
// leads() and a write may still write later; therefore writes carry resourceVersions.
//
// Thread-safe. The caller must use one thread for Try and Release.
class LeaderElection final {
 public:
  // The store and the clock must outlive this.
  LeaderElection(LeaseStore& store, LeaderElectionOptions options, const base::Clock& clock);

  // Takes the lease, renews it, or checks whether that is due. Returns leads(). An error says why the leader is
  // unknown.
  ApiResult<bool> Try();
  // Releases the lease, so that another process need not wait until it expires.
  ApiResult<void> Release();
  // Repeats Try until `stop`, then releases the lease. `on_change` is called with each new value of leads(). If leads()
  // ends because of the deadline, it is called after the current attempt.
  void Run(const std::stop_token& stop, const std::function<void(bool leads)>& on_change);

  bool leads() const;
  // Returns the last known holder. Empty if none.
  std::string leader() const;
  // Returns why the last attempt did not find out who leads. Empty if it did.
  std::string trouble() const;

 private:
  enum class Wish : uint8_t { kTake, kRenew, kRelease };

  ApiResult<bool> TryOnce();
  void Observe(const manifest::Value& lease, int64_t now_ns);
  bool IsFree(const manifest::Value& lease, int64_t now_ns) const;
  manifest::Value Wished(manifest::Value lease, Wish wish) const;
  ApiResult<bool> Write(const manifest::Value& lease, Wish wish, int64_t begun_ns);

  LeaseStore& store_;
  const LeaderElectionOptions options_;
  const int64_t deadline_ns_;
  const base::Clock& clock_;
  std::string observed_;     // identifies the lease's last known state
  int64_t observed_ns_ = 0;  // since when it has that state
  mutable base::Mutex mutex_;
  std::string leader_ GUARDED_BY(mutex_);
  std::string trouble_ GUARDED_BY(mutex_);
  std::optional<int64_t> renewed_ns_ GUARDED_BY(mutex_);  // start of the last renewal
};

}  // namespace inferd::kubernetes
