#include "worker/body_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace inferd::worker {

namespace {

constexpr size_t kPageBytes = 4096;

constexpr size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

base::Status SystemRefusal(std::string_view what) {
  return base::ResourceExhausted("memory for the bodies of a model's requests: " + std::string(what) + ": " +
                                 std::strerror(errno));
}

}  // namespace

base::Result<std::shared_ptr<BodyMemory>> BodyMemory::Create(size_t bytes) {
  bytes = RoundUp(bytes, kPageBytes);
  base::FileDescriptor descriptor(memfd_create("inferd-bodies", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor) return std::unexpected(SystemRefusal("memfd_create"));
  if (ftruncate(descriptor.get(), static_cast<off_t>(bytes)) != 0) return std::unexpected(SystemRefusal("size"));
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor.get(), 0);
  if (memory == MAP_FAILED) return std::unexpected(SystemRefusal("mmap"));
  const int mapped = descriptor.get();
  std::shared_ptr<BodyMemory> made(new BodyMemory(static_cast<std::byte*>(memory), bytes, std::move(descriptor)));
  // From here on the mapping above is the only one that writes.
  if (fcntl(mapped, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0) {
    return std::unexpected(SystemRefusal("seals"));
  }
  return made;
}

BodyMemory::~BodyMemory() { munmap(memory_, bytes_); }

base::Buffer BodyMemory::Allocate(size_t size, size_t align_at) {
  if (size > bytes_) return {};
  const size_t lead = (base::kBufferAlignment - align_at % base::kBufferAlignment) % base::kBufferAlignment;
  const size_t taken = RoundUp(lead + size + base::kBufferSlack, base::kBufferAlignment);
  std::optional<size_t> offset;
  {
    base::MutexLock lock(mutex_);
    offset = free_.Take(taken);
  }
  if (!offset.has_value()) return {};
  return base::Buffer::Wrap(memory_ + *offset + lead, size,
                            [self = shared_from_this(), at = *offset, taken] { self->Free(at, taken); });
}

void BodyMemory::Free(size_t offset, size_t bytes) {
  base::MutexLock lock(mutex_);
  free_.Give(offset, bytes);
}

base::Result<std::shared_ptr<const BodyView>> BodyView::Open(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return std::unexpected(SystemRefusal("fstat"));
  const auto bytes = static_cast<size_t>(status.st_size);
  void* memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED) return std::unexpected(SystemRefusal("mmap"));
  return std::shared_ptr<const BodyView>(new BodyView({static_cast<const std::byte*>(memory), bytes}));
}

BodyView::~BodyView() { munmap(const_cast<std::byte*>(area_.data()), area_.size()); }

}  // namespace inferd::worker
