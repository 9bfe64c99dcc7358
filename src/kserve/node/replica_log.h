#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace inferd::node {

// The output of a replica's processes, one after the other. Only the last part is kept. Thread-safe.
class ReplicaLog final {
 public:
  static constexpr size_t kBytesMax = 256 * 1024;
  static constexpr size_t kMomentsMax = 4096;
  using Time = std::chrono::system_clock::time_point;

  // Marks the beginning of the next process's output.
  void BeginProcess();
  void Append(std::string_view text, Time now);
  // Marks the end of the log: the replica is gone.
  void End();

  // The time of a place in the log. The text from there to the next moment was written within a second of it.
  struct Moment {
    uint64_t place = 0;
    Time time;
  };
  struct Part {
    std::string text;
    uint64_t next = 0;  // where the next part begins
    bool ended = false;
    std::vector<Moment> moments = {};  // of the text; the first may precede it
  };
  // Returns the kept text from a place on. Places are counted in bytes from the beginning.
  Part Read(uint64_t from) const;
  // Returns the place where the next text will begin.
  uint64_t end() const;

  // A part of the log as places. It may no longer be kept.
  struct Span {
    uint64_t begin = 0;
    std::optional<uint64_t> end;  // nullopt if it continues
  };
  // Returns the part of the current process, or of the last one if none runs. The whole log if none has begun.
  Span Current() const;
  // Returns the part of the process before the current one. nullopt if there was none.
  std::optional<Span> Previous() const;
  // Returns the place of the first text that was written at `time` or later, to the second. If older text is no longer
  // kept, that is the first kept place.
  uint64_t PlaceAt(Time time) const;

 private:
  mutable base::Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  uint64_t begin_ GUARDED_BY(mutex_) = 0;  // of text_
  std::deque<Moment> moments_ GUARDED_BY(mutex_);
  std::optional<uint64_t> current_ GUARDED_BY(mutex_);   // where the current process begins
  std::optional<uint64_t> previous_ GUARDED_BY(mutex_);  // where the process before begins
  bool ended_ GUARDED_BY(mutex_) = false;
};

// Returns the end of a text: at most 80 lines and 2 KiB. It begins with a whole line, unless one line alone is longer
// (Kubernetes: FallbackToLogsOnError).
std::string LastLines(std::string_view text);

}  // namespace inferd::node
