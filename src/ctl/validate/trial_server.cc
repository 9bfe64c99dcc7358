#include "ctl/validate/trial_server.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/system/file_descriptor.h"
#include "ctl/program/interrupt.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPollInterval{20};
constexpr std::chrono::seconds kEndLimit{20};
constexpr size_t kLogShown = 2000;  // bytes

// Variables that open or restrict the sockets of the operator's own server. A name without "=" removes a variable.
constexpr std::array<const char*, 5> kSocketVariables = {"INFERD_ACCESS_TOKEN_FILE", "INFERD_HTTP_RESTRICTED_API",
                                                         "INFERD_GRPC_RESTRICTED_PROTOCOL", "INFERD_GRPC_UNIX_SOCKET",
                                                         "INFERD_UNIX_SOCKET_CLIENT_PID"};

bool IsTried(const IndexRow& row) { return row.state == "READY" || row.state == "UNAVAILABLE"; }

}  // namespace

base::Result<std::unique_ptr<TrialServer>> TrialServer::Start(const std::string& program,
                                                              std::vector<std::string> options,
                                                              std::chrono::seconds limit) {
  std::error_code error;
  std::string folder = fs::temp_directory_path(error) / "inferctl-XXXXXX";
  if (error) return std::unexpected(base::Internal("there is no folder for temporary files: " + error.message()));
  if (::mkdtemp(folder.data()) == nullptr) {
    return std::unexpected(base::Internal("cannot make the folder '" + folder + "': " + std::strerror(errno)));
  }
  std::unique_ptr<TrialServer> server(new TrialServer(std::move(folder)));
  INFERD_RETURN_IF_ERROR(server->Spawn(program, std::move(options)));
  INFERD_RETURN_IF_ERROR(server->WaitForModels(steady_clock::now() + limit));
  return server;
}

TrialServer::~TrialServer() {
  if (process_ != nullptr) {
    process_->Terminate();
    if (!process_->EndsBefore(steady_clock::now() + kEndLimit)) process_->Kill();
    process_->WaitForEnd();
  }
  std::error_code error;
  fs::remove_all(folder_, error);
}

base::Status TrialServer::Spawn(const std::string& program, std::vector<std::string> options) {
  const std::string socket = folder_ + "/http";
  const base::FileDescriptor log(
      ::open((folder_ + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
  options.insert(options.begin(), {program, "--tcp=false", "--grpc=false", "--metrics=false", "--accept=at-once",
                                   "--drain-grace=0s", "--http-unix-socket=" + socket});
  INFERD_ASSIGN_OR_RETURN(
      base::ChildProcess process,
      base::ChildProcess::Start({.program = program,
                                 .arguments = options,
                                 .environment_changes = {kSocketVariables.begin(), kSocketVariables.end()},
                                 .apart = true,
                                 .output = log.get(),
                                 .ends_with_thread = true}));
  process_ = std::make_unique<base::ChildProcess>(std::move(process));
  INFERD_ASSIGN_OR_RETURN(V2Server api, V2Server::Open({.url = "http://localhost", .unix_socket = socket}));
  api_ = std::make_unique<V2Server>(std::move(api));
  return base::OkStatus();
}

base::Status TrialServer::WaitForModels(steady_clock::time_point deadline) {
  while (steady_clock::now() < deadline) {
    if (WasInterrupted()) return base::Cancelled("interrupted");
    if (process_->EndsBefore(steady_clock::now() + kPollInterval)) {
      return base::Unavailable("inferd ended when it was to load the model: " + LogEnd());
    }
    const base::Result<bool> live = api_->Healthy("/v2/health/live");
    if (!live.has_value() || !*live) continue;  // it does not listen yet
    base::Result<std::vector<IndexRow>> index = api_->Index(/*ready_only=*/false);
    if (!index.has_value()) continue;
    std::erase_if(*index, [](const IndexRow& row) { return row.state.empty(); });  // not asked for
    if (index->empty() || !std::ranges::all_of(*index, IsTried)) continue;
    models_ = *std::move(index);
    return base::OkStatus();
  }
  return base::DeadlineExceeded("the model is still loading");
}

std::string TrialServer::LogEnd() const {
  std::ifstream file(folder_ + "/log", std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  while (text.ends_with('\n')) text.pop_back();
  return text.size() <= kLogShown ? text : "... " + text.substr(text.size() - kLogShown);
}

}  // namespace inferd::ctl
