#include "ctl/doctor/ports.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "base/machine/port_holder.h"
#include "base/system/file_descriptor.h"

namespace inferd::ctl {

namespace {

constexpr std::string_view kServerName = "inferd";

// Returns the error of binding the port on all addresses; 0 if it can be bound.
int ErrorOfBinding(uint16_t port) {
  const base::FileDescriptor fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return errno;
  const int on = 1;
  (void)::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);  // as servers do
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
}

Finding JudgePort(const WantedPort& wanted, pid_t server) {
  using enum Finding::Level;
  const std::string subject = "port " + std::to_string(wanted.port) + " (" + wanted.use + ")";
  const std::string remedy = "stop it, or choose another port: inferd " + wanted.option;
  if (const auto holder = base::FindPortHolder(wanted.port); holder.has_value()) {
    const std::string found = base::DescribePortHolder(wanted.port);
    const bool is_server = server != 0 && holder->process == server;
    if (is_server || holder->name == kServerName) return {subject, kOk, found};
    return {subject, kProblem, found, remedy};
  }
  const int error = ErrorOfBinding(wanted.port);
  if (error == 0) return {subject, kOk, "free"};
  if (error == EADDRINUSE) {
    return {subject, kProblem, "a program has it that cannot be seen from here, perhaps in a container", remedy};
  }
  return {subject, kProblem, std::strerror(error), "choose another port: inferd " + wanted.option};
}

}  // namespace

Findings JudgePorts(const std::vector<WantedPort>& ports, pid_t server) {
  Findings findings;
  for (const WantedPort& port : ports) findings.push_back(JudgePort(port, server));
  return findings;
}

pid_t ServerOn(uint16_t port, bool answers) {
  const auto holder = base::FindPortHolder(port);
  return holder.has_value() && (answers || holder->name == kServerName) ? holder->process : 0;
}

}  // namespace inferd::ctl
