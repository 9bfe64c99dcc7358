#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace inferd::python {

// What the kernel says of a process (proc(5), /proc/PID/stat).
struct ProcessStat {
  char state = 0;  // 'Z': it has ended, and was not waited for
  pid_t parent = 0;
  pid_t session = 0;
};

// Functions here need no other library, since workers load them, too. Thread-safe.

// nullopt: there is no such process.
std::optional<ProcessStat> StatOf(pid_t process);

// The processes that there are; empty if the system does not say.
std::vector<pid_t> Processes();

}  // namespace inferd::python
