#include "engines/python/message/shared_area.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace inferd::python {

namespace {

constexpr size_t kBytesMin = size_t{1} << 16;

// Returns the size of the file that has memory. The worker allocates from the beginning.
size_t TakenBytes(const struct stat& status) {
  constexpr size_t kBlockBytes = 512;  // stat(2)
  return std::min(static_cast<size_t>(status.st_size), static_cast<size_t>(status.st_blocks) * kBlockBytes);
}

base::Status NoMemory() {
  return base::ResourceExhausted("no memory to share with a Python worker: " + std::string(std::strerror(errno)));
}

}  // namespace

base::Result<SharedArea> SharedArea::Create(const char* name) {
  base::FileDescriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK) != 0) return std::unexpected(NoMemory());
  return SharedArea(std::move(file));
}

SharedArea::~SharedArea() {
  if (data_ != nullptr) munmap(data_, mapped_);
}

SharedArea::SharedArea(SharedArea&& other) noexcept
    : file_(std::move(other.file_)),
      data_(std::exchange(other.data_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)) {}

base::Status SharedArea::Map(size_t bytes) {
  void* const mapped = data_ == nullptr ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0)
                                        : mremap(data_, mapped_, bytes, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) return NoMemory();
  data_ = static_cast<std::byte*>(mapped);
  mapped_ = bytes;
  return base::OkStatus();
}

base::Result<std::span<std::byte>> SharedArea::Reserve(size_t bytes) {
  if (bytes > mapped_ || data_ == nullptr) {
    if (bytes > kBytesMax) return std::unexpected(base::ResourceExhausted("the inputs are too large"));
    const size_t size = std::bit_ceil(std::max(bytes, kBytesMin));
    // Allocate now: touching a page that the system cannot provide would end the process.
    if (const int error = posix_fallocate(file_.get(), 0, static_cast<off_t>(size)); error != 0) {
      errno = error;
      return std::unexpected(NoMemory());
    }
    INFERD_RETURN_IF_ERROR(Map(size));
  }
  return std::span(data_, mapped_);
}

base::Result<std::span<const std::byte>> SharedArea::Look(size_t bytes) {
  if (bytes > mapped_) {
    struct stat status{};
    // Reading pages that the worker has not allocated would allocate them on the server's account.
    const bool there = fstat(file_.get(), &status) == 0 && bytes <= TakenBytes(status);
    if (!there || bytes > kBytesMax) {
      return std::unexpected(base::Internal("the Python worker says that it shares more memory than it does"));
    }
    INFERD_RETURN_IF_ERROR(Map(TakenBytes(status)));
  }
  return std::span<const std::byte>(data_, bytes);
}

base::Result<std::span<const std::byte>> SharedArea::LookAll() {
  struct stat status{};
  if (fstat(file_.get(), &status) != 0) return std::unexpected(NoMemory());
  return Look(TakenBytes(status));
}

}  // namespace inferd::python
