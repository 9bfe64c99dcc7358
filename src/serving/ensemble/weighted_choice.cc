#include "serving/ensemble/weighted_choice.h"

#include <algorithm>
#include <functional>
#include <string>
#include <variant>

namespace inferd::ensemble {

namespace {

// 2^64 divided by the golden ratio: its multiples modulo 2^64 are spread as evenly as possible.
constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;

uint64_t Mixed(uint64_t bits) {
  bits ^= bits >> 33;
  bits *= 0xFF51AFD7ED558CCD;
  bits ^= bits >> 33;
  bits *= 0xC4CEB9FE1A85EC53;
  return bits ^ (bits >> 33);
}

uint64_t PlaceOf(const core::Sequence& sequence) {
  if (const auto* const number = std::get_if<uint64_t>(&sequence.id); number != nullptr) return Mixed(*number);
  return Mixed(std::hash<std::string>{}(std::get<std::string>(sequence.id)));
}

}  // namespace

WeightedChoice::WeightedChoice(const std::vector<uint32_t>& weights)
    : taken_(std::make_unique<std::atomic<uint64_t>>(0)) {
  uint64_t end = 0;
  for (const uint32_t weight : weights) ends_.push_back(end += weight);
}

size_t WeightedChoice::Of(const core::Sequence& sequence) const {
  if (ends_.size() == 1) return 0;
  const uint64_t place =
      sequence.named() ? PlaceOf(sequence) : kSpread * (taken_->fetch_add(1, std::memory_order_relaxed) + 1);
  // Scales the place to the sum of the weights.
  const auto at = static_cast<uint64_t>((static_cast<unsigned __int128>(place) * ends_.back()) >> 64);
  return static_cast<size_t>(std::ranges::upper_bound(ends_, at) - ends_.begin());
}

}  // namespace inferd::ensemble
