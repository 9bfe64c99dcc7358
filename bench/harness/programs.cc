#include "bench/harness/programs.h"

#include <thread>
#include <utility>

#include "base/system/file_descriptor.h"
#include "ctl/v2_server.h"
#include "net/client/dial.h"

namespace inferd::bench {

namespace {

using base::Result;
using base::Status;

constexpr auto kPause = std::chrono::milliseconds(50);
constexpr int kPausesMax = 600;

// Waits until `ready` returns true.
template <typename Ready>
Status WaitFor(ChildProcess& process, const std::string& url, Ready ready) {
  for (int i = 0; i < kPausesMax; ++i) {
    if (!process.Running()) return base::Unavailable("the program behind " + url + " has ended");
    if (ready()) return base::OkStatus();
    std::this_thread::sleep_for(kPause);
  }
  return base::DeadlineExceeded(url + " does not become ready");
}

}  // namespace

Result<Programs> Programs::Start(const Options& options) {
  Programs programs;
  if (options.floors) INFERD_RETURN_IF_ERROR(programs.StartFloors(options));
  if (!options.library_floor.empty()) INFERD_RETURN_IF_ERROR(programs.StartLibraryFloor(options));
  if (options.server) INFERD_RETURN_IF_ERROR(programs.StartServer(options));
  return programs;
}

Status Programs::StartLibraryFloor(const Options& options) {
  const uint16_t port = FreePort();
  std::vector<std::string> command = options.library_floor;
  command[0] = options.folder + "/" + command[0];
  command.insert(command.begin() + 1, std::to_string(port));
  INFERD_ASSIGN_OR_RETURN(targets_.library_floor, Run(command, port));
  return base::OkStatus();
}

// Starts a program, and waits until it listens on `port`.
Result<Target> Programs::Run(const std::vector<std::string>& command, uint16_t port) {
  INFERD_ASSIGN_OR_RETURN(ChildProcess process, ChildProcess::Start(command));
  const Target target{"http://127.0.0.1:" + std::to_string(port), process.pid()};
  INFERD_ASSIGN_OR_RETURN(const net::Url url, net::ParseUrl(target.url));
  INFERD_RETURN_IF_ERROR(WaitFor(process, target.url, [&] {
    const Result<int> fd = net::Dial(url, "");
    if (fd.has_value()) base::FileDescriptor(*fd).Close();
    return fd.has_value();
  }));
  processes_.push_back(std::move(process));
  return target;
}

Status Programs::StartFloors(const Options& options) {
  const uint16_t port = FreePort();
  INFERD_ASSIGN_OR_RETURN(targets_.http_floor, Run({options.folder + "/floor", std::to_string(port)}, port));
  if (!options.grpc) return base::OkStatus();
  const uint16_t grpc_port = FreePort();
  INFERD_ASSIGN_OR_RETURN(targets_.grpc_floor,
                          Run({options.folder + "/grpc_floor", std::to_string(grpc_port)}, grpc_port));
  return base::OkStatus();
}

Status Programs::StartServer(const Options& options) {
  const uint16_t port = FreePort();
  std::vector<std::string> command = {
      options.folder + "/inferd", "--model-repository=" + options.repository, "--model-control-mode=explicit",
      "--http-address=127.0.0.1", "--http-port=" + std::to_string(port),      "--metrics=false"};
  for (const std::string& model : options.models) command.push_back("--load-model=" + model);
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  const uint16_t grpc_port = FreePort();
  if (options.grpc) {
    command.push_back("--grpc-address=127.0.0.1");
    command.push_back("--grpc-port=" + std::to_string(grpc_port));
  } else {
    command.push_back("--grpc=false");
  }
  INFERD_ASSIGN_OR_RETURN(targets_.http, Run(command, port));
  if (options.grpc) targets_.grpc = Target{"http://127.0.0.1:" + std::to_string(grpc_port), targets_.http.pid};
  net::HttpClient::Options client;
  client.url = targets_.http.url;
  INFERD_ASSIGN_OR_RETURN(ctl::V2Server server, ctl::V2Server::Open(std::move(client)));
  return WaitFor(processes_.back(), targets_.http.url, [&] {
    const auto ready = server.Healthy("/v2/health/ready");
    return ready.has_value() && *ready;
  });
}

}  // namespace inferd::bench
