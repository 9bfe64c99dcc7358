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

// Shares resources between the executions of all models: the resources of Triton's rate limiter, and the server's
// compute threads. Thread-safe. There is one per process; it outlives every Claim.
//
// Each instance has a Claim. Before each execution, the claim gets all that it needs at once, or waits. Time is divided
// fairly between owners (models), and then between the claims of an owner; for a claim of priority n, each use counts n
// times. NextGrant() has the rule. Idle resources are free for all: time counts only if another claim had to wait.
// While no claim waits, no lock is taken.
//
// The limit on compute threads stops executions from slowing each other down. It must not keep a model from being
// served. So a claim that has waited `patience_ns` for them, while its owner executes nothing, gets them even if none
// is free. A stuck model therefore blocks no other one, and at most twice the limit run.
class ResourceArbiter final {
 public:
  using Need = ResourceTable::Need;
  class Claim;

  static constexpr int64_t kPatienceNs = 100'000'000;

  // `cpu_threads` is the number of threads that may compute at once. 0 means no limit.
  explicit ResourceArbiter(const config::ResourceOptions& options = {}, int cpu_threads = 0,
                           int64_t patience_ns = kPatienceNs);
  ~ResourceArbiter();  // out of line; no claim is left
  ResourceArbiter(const ResourceArbiter&) = delete;
  ResourceArbiter& operator=(const ResourceArbiter&) = delete;

  struct ClaimSpec {
    std::string owner;             // the model; time is divided between owners
    std::vector<Need> needs = {};  // ignored unless options.rate_limit
    int cpu_threads = 0;           // compute threads of an execution; capped at the limit
    uint32_t priority = 1;         // n gets 1/n of the time that 1 gets; 0 counts as 1
  };

  // Registers a claim. INVALID_ARGUMENT if it needs more than there will ever be, or a resource is global in one model
  // and per device in another.
  base::Result<std::unique_ptr<Claim>> Register(ClaimSpec spec);

  int waiting() const { return waiting_count_.load(); }

 private:
  // The owner of several claims, which share its time.
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
  // Changed under mutex_. A thread that gives resources back reads it afterwards. A thread that begins to wait reads
  // the free resources afterwards. So at least one of the two sees the other.
  std::atomic<int> waiting_count_{0};
  base::Mutex mutex_;
  ResourceTable table_ GUARDED_BY(mutex_);
  std::map<std::string, Owner> owners_ GUARDED_BY(mutex_);
  TurnClock turns_ GUARDED_BY(mutex_);
  uint64_t tickets_ GUARDED_BY(mutex_) = 0;
  std::vector<Claim*> waiting_ GUARDED_BY(mutex_);
};

// The resources that one instance needs.
//
//   idle --Acquire, TryAcquire: true--> held --Release--> idle
//                                       held --Renew, TryRenew: true--> held, false--> idle
//
// Used by one thread at a time, except Cancel(). Must be idle when destroyed.
class ResourceArbiter::Claim final {
 public:
  ~Claim();
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;

  // True if it needs nothing: then none of the functions need be called.
  bool free() const { return amounts_.empty(); }
  bool held() const { return held_.load(std::memory_order_relaxed); }
  // Blocks until it holds everything. Returns false if Cancel() was called.
  bool Acquire();
  // Acquires without waiting. Returns false if not everything is free, or another claim waits.
  bool TryAcquire();
  // Gives everything back, after an execution that took `service_ns`.
  void Release(int64_t service_ns);
  // As Release() and then Acquire() for the next execution, but keeps its turn in between.
  bool Renew(int64_t service_ns);
  // As Renew(), without waiting: releases, and returns false, if another claim waits.
  bool TryRenew(int64_t service_ns);
  // Makes Acquire() and Renew() return false from now on.
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
  int64_t expected_ns_ = 0;  // expected time of an execution, from earlier ones

  // State of its present or last wait. Guarded by the arbiter's lock.
  double time_ = 0;
  double advance_ = 0;  // time charged in advance when granted
  uint64_t ticket_ = 0;
  bool impatient_ = false;
  bool granted_ = false;
  base::CondVar wake_;
};

}  // namespace inferd::scheduling
