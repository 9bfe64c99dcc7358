#include "bench/table/idle_connections.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "base/system/file_descriptor.h"
#include "net/client/dial.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

constexpr auto kSettleTime = std::chrono::seconds(3);
constexpr int kAnswerTimeoutMs = 5'000;

Result<double> ResidentBytes(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double total_pages = 0, resident_pages = 0;
  if (!(file >> total_pages >> resident_pages)) {
    return std::unexpected(base::NotFound("cannot read the memory use of process " + std::to_string(pid)));
  }
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Makes one call on a connection that has none in flight, and waits for its answer.
Status CallOnce(int fd, ctl::LoadProtocol& protocol) {
  std::vector<ctl::LoadProtocol::Answer> answers;
  std::string inbox(64 * 1024, '\0');
  protocol.Begin(0);
  for (;;) {
    for (std::string_view output = protocol.Output(); !output.empty(); output = protocol.Output()) {
      const ssize_t sent = ::send(fd, output.data(), output.size(), MSG_NOSIGNAL);
      if (sent < 0) return base::Unavailable("the server takes no call");
      protocol.Sent(static_cast<size_t>(sent));
    }
    if (!answers.empty()) return answers[0].error.empty() ? Status() : base::Unavailable(answers[0].error);
    pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, kAnswerTimeoutMs) != 1) return base::DeadlineExceeded("the server does not answer");
    const ssize_t count = ::recv(fd, inbox.data(), inbox.size(), 0);
    if (count <= 0) return base::Unavailable("the server closed the connection");
    if (protocol.Read({inbox.data(), static_cast<size_t>(count)}, answers) != ctl::LoadProtocol::State::kOpen) {
      return base::Unavailable(std::string(protocol.error()));
    }
  }
}

}  // namespace

Result<double> IdleConnectionBytes(const std::string& url, int pid, const ctl::GrpcCall& call, size_t connections) {
  struct Connection {
    base::FileDescriptor fd;
    std::unique_ptr<ctl::LoadProtocol> protocol;
  };
  INFERD_ASSIGN_OR_RETURN(const net::Url target, net::ParseUrl(url));
  const ctl::LoadProtocolFactory make = ctl::GrpcLoad(target, call);
  std::vector<Connection> open;
  double before = 0;
  // Does not count the first connection, because the server allocates some memory only once, at its first call.
  for (size_t i = 0; i <= connections; ++i) {
    INFERD_ASSIGN_OR_RETURN(const int fd, net::Dial(target, ""));
    open.push_back({base::FileDescriptor(fd), make()});
    INFERD_RETURN_IF_ERROR(CallOnce(fd, *open.back().protocol));
    if (i > 0) continue;
    std::this_thread::sleep_for(kSettleTime);
    INFERD_ASSIGN_OR_RETURN(before, ResidentBytes(pid));
  }
  std::this_thread::sleep_for(kSettleTime);
  INFERD_ASSIGN_OR_RETURN(const double after, ResidentBytes(pid));
  return (after - before) / static_cast<double>(connections);
}

}  // namespace inferd::bench
