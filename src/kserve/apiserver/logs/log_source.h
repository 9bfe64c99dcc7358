#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::apiserver {

// The time of a place in a log. Places are counted in bytes from the pod's first byte. The text from there to the next
// moment was written within a second of it.
struct LogMoment {
  uint64_t place = 0;
  std::chrono::system_clock::time_point time;
};

// A part of a pod's combined standard output and error, as far as it is kept.
struct LogPart {
  std::string text;
  uint64_t next = 0;                    // where later text will begin
  bool ended = false;                   // true if no more text will come
  std::vector<LogMoment> moments = {};  // of the text; the first may precede it
};

// A choice of a part of a pod's log.
struct LogChoice {
  bool previous = false;  // the process before the current one
  std::optional<std::chrono::system_clock::time_point> since{};
};

// A part of a log as places, counted in bytes from the pod's first byte.
struct LogSpan {
  uint64_t begin = 0;
  std::optional<uint64_t> end;  // nullopt if it continues
};

// A source of the logs of pods. Thread-safe.
class LogSource {
 public:
  virtual ~LogSource() = default;
  // Returns the log from the place `offset` on, without text that is no longer kept. nullopt if the pod does not exist.
  virtual std::optional<LogPart> ReadLog(std::string_view namespace_name, std::string_view pod,
                                         uint64_t offset) const = 0;
  // Returns the places of the chosen part. nullopt if the pod or the process does not exist.
  virtual std::optional<LogSpan> FindLog(std::string_view namespace_name, std::string_view pod,
                                         const LogChoice& choice) const = 0;
};

}  // namespace inferd::apiserver
