#include "base/system/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace inferd::base {

namespace {

Status CannotRead(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR) return NotFound("cannot read '" + path + "'");
  return InvalidArgument("cannot read '" + path + "': " + std::strerror(error));
}

}  // namespace

Result<FileDescriptor> OpenRegularFile(const std::string& path) {
  // A pipe without a writer, and some devices, could block the open for an unlimited time.
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file) {
    // The error for a socket.
    if (errno == ENXIO) return std::unexpected(InvalidArgument("'" + path + "' is no regular file"));
    return std::unexpected(CannotRead(path, errno));
  }
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return std::unexpected(CannotRead(path, errno));
  if (!S_ISREG(info.st_mode)) return std::unexpected(InvalidArgument("'" + path + "' is no regular file"));
  return file;
}

Result<std::string> ReadRegularFile(const std::string& path, size_t bytes_max) {
  INFERD_ASSIGN_OR_RETURN(const FileDescriptor file, OpenRegularFile(path));
  std::string text;
  std::array<char, 16 * 1024> chunk;
  while (text.size() <= bytes_max) {
    const ssize_t size = read(file.get(), chunk.data(), chunk.size());
    if (size == 0) return text;
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return std::unexpected(CannotRead(path, errno));
    text.append(chunk.data(), static_cast<size_t>(size));
  }
  return std::unexpected(
      InvalidArgument("'" + path + "' may have " + std::to_string(bytes_max) + " bytes, and has more"));
}

}  // namespace inferd::base
