#pragma once

#include <cstdint>
#include <string>

namespace inferd::server {

// Returns a clause about the process that listens on a TCP port of this machine: "process 4242 (inferd) has it". If
// that process cannot be seen, names its user. Empty if nobody listens. Reads /proc; takes milliseconds.
std::string DescribePortHolder(uint16_t port);

}  // namespace inferd::server
