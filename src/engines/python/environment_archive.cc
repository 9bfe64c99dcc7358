#include "engines/python/environment_archive.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>

#include "base/system/child_process.h"
#include "base/system/file_descriptor.h"

namespace inferd::python {

namespace {

namespace fs = std::filesystem;

std::unexpected<base::Status> Refused(const fs::path& archive, std::string_view why) {
  return std::unexpected(base::InvalidArgument("EXECUTION_ENV_PATH '" + archive.string() + "': " + std::string(why)));
}

// Returns a folder that only this user can write to: its content will be run.
base::Result<fs::path> OwnFolder() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error) / ("inferd-python-" + std::to_string(geteuid()));
  mkdir(folder.c_str(), S_IRWXU);
  struct stat status{};
  const bool own = lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
                   (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (own) return folder;
  return std::unexpected(base::FailedPrecondition("'" + folder.string() + "' is no folder of this user's alone"));
}

// Runs the unpacker. Returns its error text; empty if there was none.
base::Result<std::string> RunUnpacker(const std::string& python, const fs::path& unpacker, const fs::path& archive,
                                      const fs::path& folder, const std::vector<std::string>& environment) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(base::ResourceExhausted(std::strerror(errno)));
  const base::FileDescriptor ours(ends[0]);
  base::FileDescriptor its(ends[1]);
  const std::array descriptors = {its.get()};
  auto child = base::ChildProcess::Start({.program = python,
                                          .arguments = {python, unpacker.string(), archive.string(), folder.string()},
                                          .environment = environment,
                                          .environment_changes = {"PYTHONHOME"},
                                          .descriptors = descriptors});
  if (!child.has_value()) return std::unexpected(child.error());
  its.Close();
  std::string said;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = read(ours.get(), piece.data(), piece.size())) != 0;) {
    if (got < 0 && errno != EINTR) break;
    if (got > 0) said.append(piece.data(), static_cast<size_t>(got));
  }
  const std::string how = child->WaitForEnd();
  if (said.empty() && how != "left with status 0") said = "what unpacks it " + how;
  return said;
}

}  // namespace

base::Result<fs::path> UnpackEnvironment(const inferd_host& host, const fs::path& archive, const std::string& python,
                                         const fs::path& unpacker, const std::vector<std::string>& environment) {
  INFERD_ASSIGN_OR_RETURN(const fs::path own, OwnFolder());
  // Lock across processes: models may share an archive.
  const base::FileDescriptor lock(open((own / ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  while (lock && flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  struct stat status{};
  if (stat(archive.c_str(), &status) != 0) return Refused(archive, std::strerror(errno));
  const std::string name = std::to_string(std::hash<std::string>()(fs::absolute(archive).string())) + "-" +
                           std::to_string(status.st_mtim.tv_sec) + "-" + std::to_string(status.st_mtim.tv_nsec) + "-" +
                           std::to_string(status.st_size);
  std::error_code error;
  const fs::path folder = own / name;
  if (fs::exists(folder, error)) return folder;
  const std::string line = "Extracting Python execution env " + archive.string();
  host.log(&host, INFERD_LOG_INFO, {line.data(), line.size()});
  std::string unfinished = (own / (name + ".XXXXXX")).string();
  if (mkdtemp(unfinished.data()) == nullptr) return Refused(archive, std::strerror(errno));
  auto said = RunUnpacker(python, unpacker, archive, unfinished, environment);
  if (said.has_value() && said->empty()) {
    fs::rename(unfinished, folder, error);
    if (error) *said = error.message();
  }
  fs::remove_all(unfinished, error);
  if (!said.has_value()) return std::unexpected(said.error());
  if (!said->empty()) return Refused(archive, *said);
  return folder;
}

}  // namespace inferd::python
