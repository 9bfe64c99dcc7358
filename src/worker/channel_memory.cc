#include "worker/channel_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace inferd::worker {

namespace {

constexpr size_t kPageBytes = 4096;
constexpr size_t kAreaBytesMax = size_t{1} << 40;

constexpr size_t RoundUp(size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

base::Status SystemRefusal(std::string_view what) {
  return base::ResourceExhausted("shared memory for a worker process: " + std::string(what) + ": " +
                                 std::strerror(errno));
}

}  // namespace

size_t ChannelMemory::HeaderBytes() { return RoundUp(sizeof(ChannelHeader)); }

base::Result<std::shared_ptr<ChannelMemory>> ChannelMemory::Map(int descriptor, size_t area_bytes,
                                                                base::FileDescriptor kept) {
  void* memory =
      mmap(nullptr, HeaderBytes() + 2 * area_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED) return std::unexpected(SystemRefusal("mmap"));
  return std::shared_ptr<ChannelMemory>(
      new ChannelMemory(static_cast<std::byte*>(memory), area_bytes, std::move(kept)));
}

base::Result<std::shared_ptr<ChannelMemory>> ChannelMemory::Create(size_t area_bytes) {
  area_bytes = RoundUp(std::min(area_bytes, kAreaBytesMax));
  base::FileDescriptor descriptor(memfd_create("inferd-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor) return std::unexpected(SystemRefusal("memfd_create"));
  if (ftruncate(descriptor.get(), static_cast<off_t>(HeaderBytes() + 2 * area_bytes)) != 0 ||
      fcntl(descriptor.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return std::unexpected(SystemRefusal("size"));
  }
  const int mapped = descriptor.get();
  return Map(mapped, area_bytes, std::move(descriptor));
}

base::Result<std::shared_ptr<ChannelMemory>> ChannelMemory::Open(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return std::unexpected(SystemRefusal("fstat"));
  const auto bytes = static_cast<size_t>(status.st_size);
  if (bytes <= HeaderBytes() || (bytes - HeaderBytes()) % (2 * kPageBytes) != 0) {
    return std::unexpected(base::InvalidArgument("shared memory of " + std::to_string(bytes) + " bytes is no channel"));
  }
  return Map(descriptor, (bytes - HeaderBytes()) / 2, {});
}

ChannelMemory::~ChannelMemory() { munmap(memory_, HeaderBytes() + 2 * area_bytes_); }

void ChannelMemory::Trim(std::span<std::byte> area, std::span<std::byte> used) {
  const auto begin = static_cast<size_t>(used.data() - area.data());
  const size_t first = RoundUp(std::max(begin, kKeptBytes));
  const size_t end = (begin + used.size()) / kPageBytes * kPageBytes;
  // Should the kernel refuse, the memory stays for the next execution.
  if (first < end) static_cast<void>(madvise(area.data() + first, end - first, MADV_REMOVE));
}

}  // namespace inferd::worker
