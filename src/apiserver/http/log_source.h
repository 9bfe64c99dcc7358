#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace inferd::apiserver {

// What a pod has written to its standard output and error, as far as it is kept.
struct LogPart {
  std::string text;
  uint64_t next = 0;   // where what comes later begins
  bool ended = false;  // nothing comes later
};

// Where the logs of pods are. Thread-safe.
class LogSource {
 public:
  virtual ~LogSource() = default;
  // From `offset` on, counted in bytes from the pod's first one; what is not kept any more is left out. nullopt: there
  // is no such pod.
  virtual std::optional<LogPart> ReadLog(std::string_view namespace_name, std::string_view pod,
                                         uint64_t offset) const = 0;
};

}  // namespace inferd::apiserver
