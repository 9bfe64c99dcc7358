#include "storage/fetch/file_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/system/file_descriptor.h"
#include "base/system/regular_file.h"

namespace inferd::storage {

namespace {

constexpr mode_t kCopyMode = 0666;  // minus the process's umask
constexpr size_t kCopyBytes = 1 << 20;
constexpr size_t kKernelBytes = 1 << 30;

base::Status CopyError(const std::filesystem::path& path, int error) {
  const std::string text = "cannot write " + path.string() + ": " + std::strerror(error);
  return error == ENOSPC || error == EDQUOT ? base::ResourceExhausted(text) : base::Internal(text);
}

// Returns 0, or errno.
int CopyThroughMemory(int from, int to) {
  std::vector<char> buffer(kCopyBytes);
  for (;;) {
    const ssize_t bytes = read(from, buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return bytes < 0 ? errno : 0;
    for (ssize_t done = 0; done < bytes;) {
      const ssize_t written = write(to, buffer.data() + done, static_cast<size_t>(bytes - done));
      if (written < 0 && errno != EINTR) return errno;
      if (written > 0) done += written;
    }
  }
}

int CopyBytes(int from, int to) {
  for (;;) {
    const ssize_t bytes = copy_file_range(from, nullptr, to, nullptr, kKernelBytes, 0);
    if (bytes == 0) return 0;
    if (bytes > 0 || errno == EINTR) continue;
    const bool not_here = errno == EXDEV || errno == ENOSYS || errno == EINVAL || errno == EOPNOTSUPP;
    return not_here ? CopyThroughMemory(from, to) : errno;  // both offsets are at the end of the kernel's copy
  }
}

}  // namespace

base::Status CopyFile(const std::filesystem::path& from, const std::filesystem::path& to, bool sync) {
  INFERD_ASSIGN_OR_RETURN(const base::FileDescriptor source, base::OpenRegularFile(from.string()));
  const base::FileDescriptor copy(open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kCopyMode));
  if (!copy) return CopyError(to, errno);
  int error = CopyBytes(source.get(), copy.get());
  if (error == 0 && sync && fsync(copy.get()) != 0) error = errno;
  if (error == 0) return {};
  unlink(to.c_str());
  return CopyError(to, error);
}

}  // namespace inferd::storage
