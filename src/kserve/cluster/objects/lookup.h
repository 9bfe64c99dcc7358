#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace inferd::cluster {

// The evidence of other objects about a thing that was not found.
enum class Evidence : uint8_t {
  kUnread,         // the objects have not been listed yet
  kNone,           // no object needs the thing
  kContradicting,  // objects that need the thing exist, so it must exist too
};

// A reason why the known state of a cluster may be out of date, and what the controller does meanwhile.
struct Doubt {
  std::string about;  // "Service kserve/inferd-gateway"; a constant text per thing
  std::string text;

  bool operator==(const Doubt&) const = default;
};

// The known state of one thing that a cluster may lack: an API, or an object of another program. The controller looks
// the thing up repeatedly, and reports the API server's answers here.
//
// A failed lookup does not mean that the thing is absent. Only the thing's own 404 does: twice, some time apart, and
// without objects that contradict it. Any other answer leaves the known state as it was. Not thread-safe.
class Lookup final {
 public:
  enum class Known : uint8_t { kNothing, kThere, kAbsent };

  // The minimum time between the two 404 answers: at the start, and for a thing that existed.
  static constexpr std::chrono::seconds kApartAtStart{2};
  static constexpr std::chrono::seconds kApart{10};

  // The next methods report one answer each. They return true if known() changed.
  bool Found();
  // The thing was found, and its content says that the feature is switched off.
  bool SwitchedOff();
  bool NotFound(int64_t now_ns, Evidence evidence);
  // The request had any other answer, or none. `why` is a text for people.
  bool Failed(const std::string& why);

  Known known() const { return known_; }
  // Returns why known() may be out of date. Empty if the last answer was clear.
  const std::string& doubt() const { return doubt_; }

 private:
  bool Become(Known known);

  Known known_ = Known::kNothing;
  std::optional<int64_t> missed_ns_;  // time of the first 404 since the thing was last found
  std::string doubt_;
};

}  // namespace inferd::cluster
