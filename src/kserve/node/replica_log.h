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

// What a replica's processes have written, one behind the other; of much, the last part. Thread-safe.
class ReplicaLog final {
 public:
  static constexpr size_t kBytesMax = 256 * 1024;
  static constexpr size_t kMomentsMax = 4096;
  using Time = std::chrono::system_clock::time_point;

  // What comes next is of another process.
  void BeginProcess();
  void Append(std::string_view text, Time now);
  // The replica is gone, and nothing comes any more.
  void End();

  // What begins at a place was written then, and what follows up to the next moment within a second of it.
  struct Moment {
    uint64_t place = 0;
    Time time;
  };
  struct Part {
    std::string text;
    uint64_t next = 0;  // where the next one begins
    bool ended = false;
    std::vector<Moment> moments = {};  // of the text; the first may be before it
  };
  // What is kept of it from a place on, counted in bytes from the beginning.
  Part Read(uint64_t from) const;
  // Where the next text will begin.
  uint64_t end() const;

  // Places of a part of it. The part may not be kept any more.
  struct Span {
    uint64_t begin = 0;
    std::optional<uint64_t> end;  // nullopt: it goes on
  };
  // Of the process that runs or, between two, the one that has ended; all of it, where none has begun.
  Span Current() const;
  // Of the one before; nullopt: there was none.
  std::optional<Span> Previous() const;
  // Where begins what was written at `time` or later, to the second, and what came before that is kept no more.
  uint64_t PlaceAt(Time time) const;

 private:
  mutable base::Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  uint64_t begin_ GUARDED_BY(mutex_) = 0;  // of text_
  std::deque<Moment> moments_ GUARDED_BY(mutex_);
  std::optional<uint64_t> current_ GUARDED_BY(mutex_);   // where the process begins
  std::optional<uint64_t> previous_ GUARDED_BY(mutex_);  // and the one before
  bool ended_ GUARDED_BY(mutex_) = false;
};

// The end of a text: at most 80 lines and 2 KiB, of whole lines but where one alone is longer (Kubernetes:
// FallbackToLogsOnError).
std::string LastLines(std::string_view text);

}  // namespace inferd::node
