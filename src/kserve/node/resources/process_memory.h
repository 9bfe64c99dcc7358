#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "base/mutex.h"

namespace inferd::node {

// What processes of this machine have in memory. Thread-safe.
class ProcessMemory final {
 public:
  // `proc`: where the kernel shows the processes (proc(5)).
  explicit ProcessMemory(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

  // The bytes of a process, of those below it and of those of its process group: what each has for itself, and of what
  // they share (tensors, say) the most that one of them has. Files that are mapped, such as libraries, do not count:
  // the kernel can take them back. 0: there is no such process. Which processes there are is looked at once a second.
  int64_t BytesOf(pid_t process);

 private:
  struct Relation {
    pid_t parent = 0;
    pid_t group = 0;
  };
  std::vector<pid_t> TreeOf(pid_t process);
  void List() REQUIRES(mutex_);

  const std::filesystem::path proc_;
  base::Mutex mutex_;
  std::map<pid_t, Relation> processes_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point listed_ GUARDED_BY(mutex_);
};

}  // namespace inferd::node
