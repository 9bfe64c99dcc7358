#include "ctl/program/server_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "base/system/file_descriptor.h"
#include "base/system/program_folder.h"

namespace inferd::ctl {

namespace {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// Returns the milliseconds until the deadline, as poll() takes them.
int PollTimeout(const Deadline& deadline) {
  if (!deadline.has_value()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

// Returns false if the deadline comes before the end.
bool ReadToEnd(int fd, const Deadline& deadline, std::string& text) {
  char chunk[16 << 10];
  for (;;) {
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&waiting, 1, PollTimeout(deadline));
    if (ready == 0) return false;
    if (ready < 0 && errno != EINTR) return true;
    if (ready < 0) continue;
    const ssize_t n = ::read(fd, chunk, sizeof chunk);
    if (n > 0) {
      text.append(chunk, static_cast<size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return true;
    }
  }
}

// Runs a program, and returns its exit status. Its output goes to `printed`, or to this program's output if that is
// null.
base::Result<int> Run(const std::vector<char*>& arguments, std::string* printed,
                      std::optional<std::chrono::seconds> limit) {
  Deadline deadline;
  if (limit.has_value()) deadline = std::chrono::steady_clock::now() + *limit;
  int ends[2] = {-1, -1};
  if (printed != nullptr && ::pipe2(ends, O_CLOEXEC) != 0) {
    return std::unexpected(base::Internal(std::string("cannot make a pipe: ") + std::strerror(errno)));
  }
  base::FileDescriptor reading(ends[0]);
  base::FileDescriptor writing(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (printed != nullptr) ::posix_spawn_file_actions_adddup2(&actions, writing.get(), STDOUT_FILENO);
  pid_t pid = 0;
  const int failed = ::posix_spawn(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return std::unexpected(
        base::Internal("cannot start '" + std::string(arguments[0]) + "': " + std::strerror(failed)));
  }
  writing = base::FileDescriptor();
  const bool ended = printed == nullptr || ReadToEnd(reading.get(), deadline, *printed);
  if (!ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) {
    return std::unexpected(base::DeadlineExceeded("'" + std::string(arguments[0]) + "' has not ended after " +
                                                  std::to_string(limit->count()) + " s"));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

base::Result<std::string> ServerProgram() {
  std::error_code error;
  std::string server = base::ProgramFolder() / "inferd";
  if (!std::filesystem::exists(server, error)) {
    return std::unexpected(base::NotFound("this needs the server program; '" + server + "' is not there"));
  }
  return server;
}

base::Result<int> RunServerProgram(const std::vector<std::string>& options, std::string* printed,
                                   std::optional<std::chrono::seconds> limit) {
  INFERD_ASSIGN_OR_RETURN(const std::string server, ServerProgram());
  std::vector<char*> arguments = {const_cast<char*>(server.c_str())};
  for (const std::string& option : options) arguments.push_back(const_cast<char*>(option.c_str()));
  arguments.push_back(nullptr);
  return Run(arguments, printed, limit);
}

}  // namespace inferd::ctl
