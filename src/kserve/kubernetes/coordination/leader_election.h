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
  std::string identity;                 // of this process alone
  std::chrono::seconds lease_time{15};  // without a renewal, after which another may take it
  std::chrono::milliseconds renew_deadline{
      10'000};                             // after which this one does not lead any more; at most 2/3 of the lease's
  std::chrono::milliseconds pause{2'000};  // between tries
  Pause wait = storage::PauseFor;
};

// Agrees with other processes on one that leads, by a Lease, as Kubernetes' own controllers do: a holder renews it, and
// another takes it when it has not changed for as long as it is good.
//
//   leads(), and only then: write, create, delete
//
// Clocks need to run at the same rate, not to show the same time: each process measures by its own monotonic clock how
// long the lease has not changed, and since when it has not renewed it; the times that stand in the lease are for
// people. leads() ends `renew_deadline` after the last renewal was begun, before any other can take the lease, also
// while a request hangs or the server is away. A process that is stopped between leads() and a write may still write
// later: writes carry resourceVersions.
//
// Thread-safe; Try and Release are called by one thread.
class LeaderElection final {
 public:
  // The store and the clock outlive it.
  LeaderElection(LeaseStore& store, LeaderElectionOptions options, const base::Clock& clock);

  // Takes the lease, renews it, or looks whether that is due. Returns leads(). The error says why nothing is known.
  ApiResult<bool> Try();
  // Gives the lease up, so that another need not wait for its end.
  ApiResult<void> Release();
  // Tries until `stop`, then releases. `on_change` is called with leads() when that was not so before; what ends by a
  // deadline is told after the try that runs then.
  void Run(const std::stop_token& stop, const std::function<void(bool leads)>& on_change);

  bool leads() const;
  // The holder as last seen; empty: none.
  std::string leader() const;

 private:
  enum class Wish : uint8_t { kTake, kRenew, kRelease };

  void Observe(const manifest::Value& lease, int64_t now_ns);
  bool IsFree(const manifest::Value& lease, int64_t now_ns) const;
  manifest::Value Wished(manifest::Value lease, Wish wish) const;
  ApiResult<bool> Write(const manifest::Value& lease, Wish wish, int64_t begun_ns);

  LeaseStore& store_;
  const LeaderElectionOptions options_;
  const int64_t deadline_ns_;
  const base::Clock& clock_;
  std::string observed_;     // what identifies the lease's state
  int64_t observed_ns_ = 0;  // since when it has been so
  mutable base::Mutex mutex_;
  std::string leader_ GUARDED_BY(mutex_);
  std::optional<int64_t> renewed_ns_ GUARDED_BY(mutex_);  // when the last renewal was begun
};

}  // namespace inferd::kubernetes
