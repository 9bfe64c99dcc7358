#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "ctl/doctor/finding.h"

namespace inferd::ctl {

// The resources of this machine that a server may use.
struct Machine {
  // Where the limits were read: "the server, process 42", or "this shell".
  std::string limits_of;
  uint64_t open_files_max = 0;        // UINT64_MAX if unlimited, like the next one
  uint64_t locked_memory_max = 0;     // bytes
  uint64_t memory = 0;                // bytes of the machine
  uint64_t usable_memory = 0;         // bytes; less than `memory` if a control group limits it
  uint64_t free_memory = 0;           // bytes that can be taken without swapping, within the control group
  int cores = 0;                      // of the machine
  int usable_cores = 0;               // fewer if a control group or an affinity limits them
  double load = 0;                    // the load average of a minute
  std::optional<uint64_t> shm_bytes;  // the size of /dev/shm; nullopt if there is none
  uint64_t shm_free = 0;              // bytes
};

// Reads /proc and /sys. If `server` is a process that can be read, limits are those of the server, else those of this
// process.
Machine ReadMachine(pid_t server);

// Judges the machine: limits, memory, cores and shared memory. `models` is the size of the model files that a server is
// to load, in bytes; 0 if unknown.
Findings JudgeMachine(const Machine& machine, uint64_t models);

// Parses the soft limit in a text like /proc/PID/limits; nullopt if there is none. UINT64_MAX if unlimited.
std::optional<uint64_t> SoftLimit(const std::string& limits, const std::string& name);

}  // namespace inferd::ctl
