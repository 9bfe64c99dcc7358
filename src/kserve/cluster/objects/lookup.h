#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace inferd::cluster {

// What other objects say about something that was not found.
enum class Evidence : uint8_t {
  kUnread,         // these objects have not been read yet
  kNone,           // they do not need it
  kContradicting,  // they exist and need it, so it must be there
};

// What is known about one thing that a cluster may lack: an API, or an object of another program. The controller looks
// for the thing again and again and reports here what the API server answered.
//
// A failed lookup does not mean that the thing is absent. Only the thing's own 404 does: twice, some time apart, and
// without objects that contradict it. Every other answer leaves what was known before. Not thread-safe.
class Lookup final {
 public:
  enum class Known : uint8_t { kNothing, kThere, kAbsent };

  // The least time between the two answers: at the start, and for a thing that was there.
  static constexpr std::chrono::seconds kApartAtStart{2};
  static constexpr std::chrono::seconds kApart{10};

  // These report one answer. They return true if known() changed.
  bool Found();
  // The thing was found, and says that the cluster does without it.
  bool SwitchedOff();
  bool NotFound(int64_t now_ns, Evidence evidence);
  // Any other answer, or none. `why` is for people.
  bool Failed(const std::string& why);

  Known known() const { return known_; }
  // Why known() may be out of date. Empty if the last answer was clear.
  const std::string& doubt() const { return doubt_; }

 private:
  bool Become(Known known);

  Known known_ = Known::kNothing;
  std::optional<int64_t> missed_ns_;  // the first 404 since the thing was found
  std::string doubt_;
};

}  // namespace inferd::cluster
