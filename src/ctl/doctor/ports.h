#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ctl/doctor/finding.h"

namespace inferd::ctl {

// A TCP port on which a server is to listen.
struct WantedPort {
  uint16_t port = 0;
  std::string use;     // "HTTP"
  std::string option;  // the option that chooses another: "--http-port"
};

// Judges the ports: free, of a running inferd, or of another program. Binds each free port for a moment, without
// listening.
Findings JudgePorts(const std::vector<WantedPort>& ports);

// Returns the process of the inferd that listens on the port; 0 if there is none, or if it cannot be seen.
pid_t ServerOn(uint16_t port);

}  // namespace inferd::ctl
