#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace inferd::node {

// What a replica's processes have written, one behind the other; of much, the last part. Thread-safe.
class ReplicaLog final {
 public:
  static constexpr size_t kBytesMax = 256 * 1024;

  void Append(std::string_view text);
  // The replica is gone, and nothing comes any more.
  void End();

  struct Part {
    std::string text;
    uint64_t next = 0;  // where the next one begins
    bool ended = false;
  };
  // What is kept of it from a place on, counted in bytes from the beginning.
  Part Read(uint64_t from) const;
  // Where the next text will begin.
  uint64_t end() const;

 private:
  mutable base::Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  uint64_t begin_ GUARDED_BY(mutex_) = 0;  // of text_
  bool ended_ GUARDED_BY(mutex_) = false;
};

// The end of a text: at most 80 lines and 2 KiB, of whole lines but where one alone is longer (Kubernetes:
// FallbackToLogsOnError).
std::string LastLines(std::string_view text);

}  // namespace inferd::node
