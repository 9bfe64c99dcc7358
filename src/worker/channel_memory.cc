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
                                                                int kept_descriptor) {
  void* memory =
      mmap(nullptr, HeaderBytes() + 2 * area_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED) return std::unexpected(SystemRefusal("mmap"));
  return std::shared_ptr<ChannelMemory>(
      new ChannelMemory(static_cast<std::byte*>(memory), area_bytes, kept_descriptor));
}

base::Result<std::shared_ptr<ChannelMemory>> ChannelMemory::Create(size_t area_bytes) {
  area_bytes = RoundUp(std::min(area_bytes, kAreaBytesMax));
  const int descriptor = memfd_create("inferd-worker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return std::unexpected(SystemRefusal("memfd_create"));
  base::Result<std::shared_ptr<ChannelMemory>> memory = std::unexpected(base::OkStatus());
  if (ftruncate(descriptor, static_cast<off_t>(HeaderBytes() + 2 * area_bytes)) != 0 ||
      fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    memory = std::unexpected(SystemRefusal("size"));
  } else {
    memory = Map(descriptor, area_bytes, descriptor);
  }
  if (!memory) close(descriptor);
  return memory;
}

base::Result<std::shared_ptr<ChannelMemory>> ChannelMemory::Open(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0) return std::unexpected(SystemRefusal("fstat"));
  const auto bytes = static_cast<size_t>(status.st_size);
  if (bytes <= HeaderBytes() || (bytes - HeaderBytes()) % (2 * kPageBytes) != 0) {
    return std::unexpected(base::InvalidArgument("shared memory of " + std::to_string(bytes) + " bytes is no channel"));
  }
  return Map(descriptor, (bytes - HeaderBytes()) / 2, -1);
}

ChannelMemory::~ChannelMemory() {
  Sent();
  munmap(memory_, HeaderBytes() + 2 * area_bytes_);
}

void ChannelMemory::Sent() {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void ChannelMemory::Trim(std::span<std::byte> area, std::span<std::byte> used) {
  const auto begin = static_cast<size_t>(used.data() - area.data());
  const size_t first = RoundUp(std::max(begin, kKeptBytes));
  const size_t end = (begin + used.size()) / kPageBytes * kPageBytes;
  // Should the kernel refuse, the memory stays for the next execution.
  if (first < end) static_cast<void>(madvise(area.data() + first, end - first, MADV_REMOVE));
}

}  // namespace inferd::worker
