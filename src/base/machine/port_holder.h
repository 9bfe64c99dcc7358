#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace inferd::base {

// A process that listens on a TCP port of this machine.
struct PortHolder {
  pid_t process = 0;  // 0 if the process cannot be seen: another user's, or one of another container
  std::string name;   // printable, as in process lists; empty if the process cannot be seen
  std::string user;   // the number of the socket's user
};

// Returns the process that listens on the port; nullopt if nobody listens. Reads /proc; takes milliseconds.
// Thread-safe.
std::optional<PortHolder> FindPortHolder(uint16_t port);

// Returns a clause about that process: "process 4242 (inferd) has it". If the process cannot be seen, names its user.
// Empty if nobody listens.
std::string DescribePortHolder(uint16_t port);

}  // namespace inferd::base
