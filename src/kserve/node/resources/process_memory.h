#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "base/mutex.h"

namespace inferd::node {

// Measures the memory of local processes. Thread-safe.
class ProcessMemory final {
 public:
  // `proc` is the folder where the kernel shows processes (proc(5)).
  explicit ProcessMemory(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

  // Returns the bytes of a process, its descendants and its process group. This is the sum of the private memory of
  // each, plus the largest shared memory of one of them (tensors, for example). Mapped files such as libraries do not
  // count, because the kernel can reclaim them. 0 if the process does not exist. The list of processes is refreshed
  // once a second.
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
