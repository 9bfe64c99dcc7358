#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/system/file_descriptor.h"
#include "ctl/commands.h"
#include "ctl/validation_report.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

bool IsVersionName(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

// Whether the folder is one model's, and not a repository of them: it has a configuration, a version folder, or files
// besides folders.
bool IsModelFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder / "config.pbtxt", error)) return true;
  bool file = false;
  bool subfolder = false;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (name.starts_with('.')) continue;
    if (entry.is_directory(error)) {
      if (IsVersionName(name) && !fs::exists(entry.path() / "config.pbtxt", error)) return true;
      subfolder = true;
    } else if (name.starts_with("model.")) {
      file = true;
    }
  }
  return file && !subfolder;
}

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

// The server's options that have it look at what is there: a model file, a model's folder, a repository.
std::vector<std::string> OptionsFor(const std::string& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {path};
  fs::path folder = fs::canonical(path, error);
  if (error) folder = path;
  if (!IsModelFolder(folder) || !folder.has_parent_path()) return {"--model-repository=" + path};
  return {"--model-repository=" + folder.parent_path().string(), "--model-control-mode=explicit",
          "--load-model=" + folder.filename().string()};
}

// Runs a program and returns its exit status; what it prints goes to `printed`, or to where this program's goes.
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

base::Result<int> Validate(const std::string& path, const Output& out) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::unexpected(base::NotFound("there is no '" + path + "'"));
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string server = self.parent_path() / "inferd";
  if (!std::filesystem::exists(server, error)) {
    return std::unexpected(base::NotFound("validating needs the server program; '" + server + "' is not there"));
  }
  const std::vector<std::string> options = OptionsFor(path);
  std::vector<char*> arguments = {const_cast<char*>(server.c_str()), const_cast<char*>("--dry-run")};
  for (const std::string& option : options) arguments.push_back(const_cast<char*>(option.c_str()));
  arguments.push_back(nullptr);
  if (!out.json) return Run(arguments, nullptr);
  std::string printed;
  INFERD_ASSIGN_OR_RETURN(const int exit_status, Run(arguments, &printed));
  json::Writer writer;
  WriteValidationReport(writer, path, exit_status == 0, ParseValidationReport(printed));
  out.Write(writer);
  return exit_status;
}

}  // namespace inferd::ctl
