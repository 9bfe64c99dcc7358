#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace inferd::scheduling {

// Pure functions that decide which waiting claim gets free resources next. The ResourceArbiter acts on them.

// An amount of resource number `resource`.
struct ResourceAmount {
  size_t resource = 0;
  int64_t count = 0;
};

struct ResourceLevel {
  int64_t free = 0;  // negative if overdrawn
  int64_t limit = 0;
  // True if claims that waited for too long may overdraw it, by at most `limit` (compute threads).
  bool soft = false;
};

// A waiting claim. It needs no more of a resource than the resource's limit.
struct WaitingClaim {
  double owner_time = 0;  // weighted time for which its owner has used shared resources
  double own_time = 0;    // and the claim itself
  uint64_t ticket = 0;    // lower tickets began to wait earlier
  std::span<const ResourceAmount> needs;
  bool overdraws = false;  // soft resources need not be free
};

// Returns the index of the claim to serve now, or nullopt if none can be.
//
// The order is by the owner's time, then the claim's own, then arrival. For a claim that does not fit, its needs are
// reserved: no later claim can take them, so it gets its turn. Compute threads are reserved only for a claim that waits
// for nothing else: a resource that is held for long must not idle the cores.
std::optional<size_t> NextGrant(std::span<const WaitingClaim> waiting, std::span<const ResourceLevel> levels);

// Tracks the time of the claims whose turn it is. New claims, and those that return from a pause, start from it. A
// pause earns at most kCreditNs, so no claim can save up turns; a short pause loses none. Not thread-safe.
class TurnClock final {
 public:
  static constexpr double kCreditNs = 100e6;

  double Newcomer() const { return now_; }
  double Join(double time) const { return std::max(time, now_ - kCreditNs); }
  void Grant(double time) { now_ = std::max(now_, time); }

 private:
  double now_ = 0;
};

}  // namespace inferd::scheduling
