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

// Judges the ports: free, of a running server, or of another program. The ports of inferd, and those of the process
// `server` (0 if unknown), are good. Binds each free port for a moment, without listening.
Findings JudgePorts(const std::vector<WantedPort>& ports, pid_t server);

// Returns the process that listens on the port, if it is a server: inferd, or any process if `answers` is true, because
// a server was seen to answer there. 0 if there is none, or if it cannot be seen.
pid_t ServerOn(uint16_t port, bool answers);

}  // namespace inferd::ctl
