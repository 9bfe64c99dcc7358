#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "config/options/resource_options.h"
#include "serving/scheduling/resources/grant_order.h"
#include "serving/scheduling/resources/resource_table.h"

namespace inferd::scheduling {

// Hands out what executions share over all models: the resources of Triton's rate limiter, and the server's
// compute threads. Thread-safe; one for the process, outlives every Claim.
//
// An instance has a Claim, asks with it before each execution, and gets all that it needs at once or waits. Time with
// what is shared is divided fairly between owners (models), a claim of priority n counting n times what it uses; then
// between the claims of an owner. NextGrant() is the rule. What is idle may be used by anyone: only time that another
// else had to wait for counts. While nobody waits, no lock is taken.
//
// Compute threads are there so that executions do not slow each other down, not to keep a model from being served: who
// has waited for them for `patience_ns`, while its owner executes nothing, gets them even if none is free. So a model
// that is stuck holds up nobody, and never more than twice the limit run.
class ResourceArbiter final {
 public:
  using Need = ResourceTable::Need;
  class Claim;

  static constexpr int64_t kPatienceNs = 100'000'000;

  // `cpu_threads`: that may compute at once; 0: no limit.
  explicit ResourceArbiter(const config::ResourceOptions& options = {}, int cpu_threads = 0,
                           int64_t patience_ns = kPatienceNs);
  ~ResourceArbiter();  // out of line; no claim is left
  ResourceArbiter(const ResourceArbiter&) = delete;
  ResourceArbiter& operator=(const ResourceArbiter&) = delete;

  struct ClaimSpec {
    std::string owner;             // the model, between whose instances time is shared as one
    std::vector<Need> needs = {};  // without effect unless options.rate_limit
    int cpu_threads = 0;           // that an execution computes with; more than there are: all
    uint32_t priority = 1;         // n gets 1/n as much as 1; 0: 1
  };

  // INVALID_ARGUMENT: more than there will ever be, or a resource that is global in one model and not in another.
  base::Result<std::unique_ptr<Claim>> Register(ClaimSpec spec);

  int waiting() const { return waiting_count_.load(); }

 private:
  // Between whose claims time is shared as one.
  struct Owner {
    double time = 0;
    TurnClock turns;  // among its claims
    std::vector<Claim*> claims;
  };

  bool AnyWaits() const { return waiting_count_.load() != 0; }
  bool Wait(Claim& claim) REQUIRES(mutex_);
  void Dispatch() REQUIRES(mutex_);
  void Grant(size_t waiting) REQUIRES(mutex_);
  void Charge(Claim& claim, int64_t service_ns) REQUIRES(mutex_);
  void StopWaiting(size_t waiting) REQUIRES(mutex_);
  double Cost(const Claim& claim, int64_t service_ns) REQUIRES(mutex_);

  const bool rate_limit_;
  const int64_t patience_ns_;
  // Changed under mutex_. A thread that gives something back looks at it after, one that begins to wait looks at what
  // is free after: one of the two sees the other.
  std::atomic<int> waiting_count_{0};
  base::Mutex mutex_;
  ResourceTable table_ GUARDED_BY(mutex_);
  std::map<std::string, Owner> owners_ GUARDED_BY(mutex_);
  TurnClock turns_ GUARDED_BY(mutex_);
  uint64_t tickets_ GUARDED_BY(mutex_) = 0;
  std::vector<Claim*> waiting_ GUARDED_BY(mutex_);
};

// What one instance needs.
//
//   idle --Acquire, TryAcquire: true--> held --Release--> idle
//                                       held --Renew, TryRenew: true--> held, false--> idle
//
// Used by one thread at a time, but for Cancel(). Destroyed idle.
class ResourceArbiter::Claim final {
 public:
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // It needs nothing: none of the functions need be called, ever.
  bool free() const { return amounts_.empty(); }
  bool held() const { return held_.load(std::memory_order_relaxed); }
  // Returns when all is held; false: Cancel() was called.
  bool Acquire();
  // Never waits. False: not now, or another claim's turn.
  bool TryAcquire();
  // After an execution that took `service_ns`.
  void Release(int64_t service_ns);
  // Release() and Acquire() for the next execution, without losing its turn in between.
  bool Renew(int64_t service_ns);
  // The same without waiting: Release() if anybody else waits.
  bool TryRenew(int64_t service_ns);
  // Acquire() and Renew() return false from now on.
  void Cancel();

 private:
  friend class ResourceArbiter;
  Claim(ResourceArbiter& arbiter, Owner& owner, ClaimSpec spec, std::vector<ResourceAmount> amounts,
        std::vector<ResourceTable::Resource*> resources);
  bool Take(bool overdraws);
  void GiveBack(size_t count);
  void Learn(int64_t service_ns);

  ResourceArbiter& arbiter_;
  Owner& owner_;
  const ClaimSpec spec_;
  const std::vector<ResourceAmount> amounts_;
  const std::vector<ResourceTable::Resource*> resources_;  // of amounts_
  bool needs_soft_ = false;
  std::atomic<bool> held_{false};
  std::atomic<bool> cancelled_{false};
  int64_t expected_ns_ = 0;  // what an execution has taken so far

  // While it waits, and of its last turn: guarded by the arbiter's lock.
  double time_ = 0;
  double advance_ = 0;  // charged when granted, for what is to come
  uint64_t ticket_ = 0;
  bool impatient_ = false;
  bool granted_ = false;
  base::CondVar wake_;
};

}  // namespace inferd::scheduling
