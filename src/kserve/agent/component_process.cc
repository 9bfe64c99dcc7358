#include "kserve/agent/component_process.h"

#include <unistd.h>

#include <utility>

#include "net/client/dial.h"
#include "net/client/url.h"

namespace inferd::agent {

base::Result<std::unique_ptr<ComponentProcess>> ComponentProcess::Start(const std::vector<std::string>& command) {
  auto child = base::ChildProcess::Start(
      {.program = command.front(), .arguments = command, .apart = true, .ends_with_thread = true});
  if (child.has_value()) return std::unique_ptr<ComponentProcess>(new ComponentProcess(*std::move(child)));
  return std::unexpected(
      base::FailedPrecondition("cannot start '" + command.front() + "': " + std::string(child.error().message())));
}

base::Status ComponentProcess::AwaitListening(const Component& component, const std::stop_token& stop) const {
  constexpr std::chrono::milliseconds kPause{20};
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl("http://127.0.0.1:" + std::to_string(component.port)));
  while (!stop.stop_requested()) {
    if (const auto socket = net::Dial(url, component.unix_socket); socket.has_value()) {
      close(*socket);
      return base::OkStatus();
    }
    if (child_.EndsBefore(std::chrono::steady_clock::now() + kPause)) {
      return base::Unavailable("the model server has ended before it listened");
    }
  }
  return base::Cancelled("stopped before the model server listened");
}

int ComponentProcess::End(std::chrono::seconds grace) {
  child_.Terminate();
  if (!child_.EndsBefore(std::chrono::steady_clock::now() + grace)) child_.Kill();
  child_.WaitForEnd();
  return child_.exit_code();
}

}  // namespace inferd::agent
