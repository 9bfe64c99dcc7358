#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace inferd::scheduling {

// Which claim gets resources next: pure functions over what waits and what is free. The ResourceArbiter acts on them.

// So much of resource number `resource`.
struct ResourceAmount {
  size_t resource = 0;
  int64_t count = 0;
};

struct ResourceLevel {
  int64_t free = 0;  // below 0: overdrawn
  int64_t limit = 0;
  // May be overdrawn, by as much again as there is, by those that waited for too long (compute threads).
  bool soft = false;
};

// A claim that waits. It needs no more of a resource than the resource's limit.
struct WaitingClaim {
  double owner_time = 0;  // weighted time that its owner has had of what is shared
  double own_time = 0;    // and the claim itself
  uint64_t ticket = 0;    // the lowest began to wait first
  std::span<const ResourceAmount> needs;
  bool overdraws = false;  // soft resources need not be free
};

// Which of the waiting is served now; empty: none.
//
// They come in the order of their owners' time, then their own, then of arrival. One that does not fit has what it
// needs kept for it: nobody behind it takes that away, so it gets its turn. Compute threads are kept only for one that
// waits for nothing else: a resource that is held for long must not idle the cores.
std::optional<size_t> NextGrant(std::span<const WaitingClaim> waiting, std::span<const ResourceLevel> levels);

// The time that claims have had whose turn it is: new ones, and those that were away, start from it. Being away
// earns no more than kCreditNs, so nobody can save up turns; being away for a moment loses none. Not thread-safe.
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
