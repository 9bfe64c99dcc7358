#include "config/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

namespace inferd::config {

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
