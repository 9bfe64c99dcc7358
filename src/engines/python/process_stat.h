#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace inferd::python {

// A process's state in the kernel (proc(5), /proc/PID/stat).
struct ProcessStat {
  char state = 0;  // 'Z' if it has ended and was not waited for
  pid_t parent = 0;
  pid_t session = 0;
};

// These functions need no other library, since workers load them, too. Thread-safe.

// nullopt if there is no such process.
std::optional<ProcessStat> StatOf(pid_t process);

// Returns all processes. Empty if the system does not list them.
std::vector<pid_t> Processes();

}  // namespace inferd::python
