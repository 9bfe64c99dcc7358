#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::bench {

// A running program. The destructor ends it (SIGTERM) and waits for it. Its output is discarded.
class ChildProcess final {
 public:
  static base::Result<ChildProcess> Start(const std::vector<std::string>& command);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t pid() const { return pid_; }
  bool Running();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;
};

// Returns a port of 127.0.0.1 that was free a moment ago.
uint16_t FreePort();

}  // namespace inferd::bench
