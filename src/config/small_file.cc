#include "config/small_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <fstream>

namespace inferd::config {

base::Result<std::string> ReadSmallFile(const std::string& path, size_t bytes_max) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(base::NotFound("cannot read '" + path + "'"));
  std::string text;
  std::array<char, 16 * 1024> chunk;
  do {
    file.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<size_t>(file.gcount()));
  } while (file && text.size() <= bytes_max);
  if (file.bad()) return std::unexpected(base::NotFound("cannot read '" + path + "'"));
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
