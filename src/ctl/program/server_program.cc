#include "ctl/program/server_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/system/file_descriptor.h"
#include "base/system/program_folder.h"

namespace inferd::ctl {

namespace {

void ReadToEnd(int fd, std::string& text) {
  char chunk[16 << 10];
  for (;;) {
    const ssize_t n = ::read(fd, chunk, sizeof chunk);
    if (n > 0) {
      text.append(chunk, static_cast<size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      return;
    }
  }
}

// Runs a program, and returns its exit status. Its output goes to `printed`, or to this program's output if that is
// null.
base::Result<int> Run(const std::vector<char*>& arguments, std::string* printed) {
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
  if (printed != nullptr) ReadToEnd(reading.get(), *printed);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
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

base::Result<int> RunServerProgram(const std::vector<std::string>& options, std::string* printed) {
  INFERD_ASSIGN_OR_RETURN(const std::string server, ServerProgram());
  std::vector<char*> arguments = {const_cast<char*>(server.c_str())};
  for (const std::string& option : options) arguments.push_back(const_cast<char*>(option.c_str()));
  arguments.push_back(nullptr);
  return Run(arguments, printed);
}

}  // namespace inferd::ctl
