#include "serving/scheduling/resources/grant_order.h"

#include <boost/container/small_vector.hpp>
#include <numeric>
#include <tuple>

namespace inferd::scheduling {

namespace {

using Counts = boost::container::small_vector<int64_t, 8>;  // by resource

bool ComesBefore(const WaitingClaim& a, const WaitingClaim& b) {
  return std::tie(a.owner_time, a.own_time, a.ticket) < std::tie(b.owner_time, b.own_time, b.ticket);
}

// `left` is what is free and not reserved for others.
bool Fits(const WaitingClaim& claim, std::span<const ResourceLevel> levels, const Counts& left) {
  return std::ranges::all_of(claim.needs, [&](const ResourceAmount& need) {
    const ResourceLevel& level = levels[need.resource];
    if (level.soft && claim.overdraws) return level.free + level.limit >= need.count;
    return left[need.resource] >= need.count;
  });
}

void Keep(const WaitingClaim& claim, std::span<const ResourceLevel> levels, Counts& left) {
  const bool only_soft_is_short = std::ranges::all_of(claim.needs, [&](const ResourceAmount& need) {
    return levels[need.resource].soft || left[need.resource] >= need.count;
  });
  for (const ResourceAmount& need : claim.needs) {
    if (!levels[need.resource].soft || only_soft_is_short) left[need.resource] -= need.count;
  }
}

}  // namespace

std::optional<size_t> NextGrant(std::span<const WaitingClaim> waiting, std::span<const ResourceLevel> levels) {
  if (waiting.empty()) return std::nullopt;
  Counts left;
  for (const ResourceLevel& level : levels) left.push_back(level.free);
  // Usually the first in order fits, so the others need not be sorted.
  const auto first = std::ranges::min_element(waiting, ComesBefore);
  if (Fits(*first, levels, left)) return static_cast<size_t>(first - waiting.begin());

  boost::container::small_vector<size_t, 32> order(waiting.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return ComesBefore(waiting[a], waiting[b]); });
  for (const size_t i : order) {
    if (Fits(waiting[i], levels, left)) return i;
    Keep(waiting[i], levels, left);
  }
  return std::nullopt;
}

}  // namespace inferd::scheduling
