#include "config/small_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

namespace inferd::config {

base::Result<std::string> ReadSmallFile(const std::string& path, size_t bytes_max) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(base::NotFound("cannot read '" + path + "'"));
  std::string text(bytes_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::unexpected(base::NotFound("cannot read '" + path + "'"));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() <= bytes_max) return text;
  return std::unexpected(
      base::InvalidArgument("'" + path + "' may have " + std::to_string(bytes_max) + " bytes, and has more"));
}

base::Result<std::string> MakeMemoryFile(const std::string& text) {
  const int file = memfd_create("inferd", MFD_CLOEXEC);
  if (file < 0) return std::unexpected(base::Unavailable("no file can be made in memory"));
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    close(file);
    return std::unexpected(base::ResourceExhausted("there is no memory for a file"));
  }
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace inferd::config
