#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "ctl/commands.h"

namespace inferd::ctl {

base::Result<int> Validate(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::unexpected(base::NotFound("there is no '" + path + "'"));
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string server = self.parent_path() / "inferd";
  if (!std::filesystem::exists(server, error)) {
    return std::unexpected(base::NotFound("validating needs the server program; '" + server + "' is not there"));
  }
  const bool file = std::filesystem::is_regular_file(path, error);
  const std::string repository = file ? path : "--model-repository=" + path;
  const char* arguments[] = {server.c_str(), "--dry-run", repository.c_str(), nullptr};
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, server.c_str(), nullptr, nullptr, const_cast<char* const*>(arguments), environ);
  if (failed != 0) return std::unexpected(base::Internal("cannot start '" + server + "': " + std::strerror(failed)));
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace inferd::ctl
