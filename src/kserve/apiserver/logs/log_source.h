#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::apiserver {

// What stands at a place, counted in bytes from the pod's first one, was written then, and so was what follows up to
// the next moment, to the second.
struct LogMoment {
  uint64_t place = 0;
  std::chrono::system_clock::time_point time;
};

// What a pod has written to its standard output and error, as far as it is kept.
struct LogPart {
  std::string text;
  uint64_t next = 0;                    // where what comes later begins
  bool ended = false;                   // nothing comes later
  std::vector<LogMoment> moments = {};  // of the text; the first may be before it
};

// Which part of a pod's log is meant.
struct LogChoice {
  bool previous = false;  // of the process before the one that runs
  std::optional<std::chrono::system_clock::time_point> since{};
};

// Places in a log, counted in bytes from the pod's first one.
struct LogSpan {
  uint64_t begin = 0;
  std::optional<uint64_t> end;  // nullopt: it goes on
};

// Where the logs of pods are. Thread-safe.
class LogSource {
 public:
  virtual ~LogSource() = default;
  // From the place `offset` on; what is not kept any more is left out. nullopt: there is no such pod.
  virtual std::optional<LogPart> ReadLog(std::string_view namespace_name, std::string_view pod,
                                         uint64_t offset) const = 0;
  // Where the chosen part is. nullopt: there is no such pod, or no such process.
  virtual std::optional<LogSpan> FindLog(std::string_view namespace_name, std::string_view pod,
                                         const LogChoice& choice) const = 0;
};

}  // namespace inferd::apiserver
