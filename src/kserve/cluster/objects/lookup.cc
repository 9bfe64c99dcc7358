#include "kserve/cluster/objects/lookup.h"

#include <utility>

namespace inferd::cluster {

bool Lookup::Become(Known known) {
  missed_ns_.reset();
  doubt_.clear();
  return std::exchange(known_, known) != known;
}

bool Lookup::Found() { return Become(Known::kThere); }

bool Lookup::SwitchedOff() { return Become(Known::kAbsent); }

bool Lookup::NotFound(int64_t now_ns, Evidence evidence) {
  if (evidence == Evidence::kContradicting) {
    const bool changed = Become(Known::kThere);
    doubt_ = "it was not found, but objects that need it exist; it counts as there";
    return changed;
  }
  if (known_ == Known::kAbsent) return Become(Known::kAbsent);
  if (!missed_ns_.has_value()) missed_ns_ = now_ns;
  const auto apart = known_ == Known::kThere ? kApart : kApartAtStart;
  const bool confirmed = now_ns - *missed_ns_ >= std::chrono::nanoseconds(apart).count();
  if (confirmed && evidence == Evidence::kNone) return Become(Known::kAbsent);
  doubt_.clear();
  if (known_ == Known::kThere)
    doubt_ = "it was not found at one look; it counts as there until another look confirms it";
  return false;
}

bool Lookup::Failed(const std::string& why) {
  doubt_ = why;
  switch (known_) {
    case Known::kNothing: doubt_ += "; the controller waits"; break;
    case Known::kThere: doubt_ += "; it counts as there, as before"; break;
    case Known::kAbsent: doubt_ += "; it counts as absent, as before"; break;
  }
  return false;
}

}  // namespace inferd::cluster
