#include "serving/worker/channel/channel_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>

namespace inferd::worker {

namespace {

constexpr size_t kAreaBytesMax = size_t{1} << 40;
constexpr std::string_view kPurpose = "shared memory for a worker process";

}  // namespace

size_t ChannelMemory::HeaderBytes() { return SharedMemory::RoundUp(sizeof(ChannelHeader)); }

base::Result<std::shared_ptr<ChannelMemory>> ChannelMemory::Create(size_t area_bytes) {
  area_bytes = SharedMemory::RoundUp(std::min(area_bytes, kAreaBytesMax));
  INFERD_ASSIGN_OR_RETURN(SharedMemory memory,
                          SharedMemory::Create("inferd-worker", kPurpose, HeaderBytes() + 2 * area_bytes,
                                               /*only_here=*/false));
  return std::shared_ptr<ChannelMemory>(new ChannelMemory(std::move(memory)));
}

base::Result<std::shared_ptr<ChannelMemory>> ChannelMemory::Open(int descriptor) {
  INFERD_ASSIGN_OR_RETURN(SharedMemory memory, SharedMemory::Open(descriptor, kPurpose, /*writable=*/true));
  const size_t bytes = memory.bytes().size();
  if (bytes <= HeaderBytes() || (bytes - HeaderBytes()) % (2 * SharedMemory::kPageBytes) != 0) {
    return std::unexpected(base::InvalidArgument("shared memory of " + std::to_string(bytes) + " bytes is no channel"));
  }
  return std::shared_ptr<ChannelMemory>(new ChannelMemory(std::move(memory)));
}

void ChannelMemory::Trim(std::span<std::byte> area, std::span<std::byte> used) {
  const auto begin = static_cast<size_t>(used.data() - area.data());
  const size_t first = SharedMemory::RoundUp(std::max(begin, kKeptBytes));
  const size_t end = (begin + used.size()) / SharedMemory::kPageBytes * SharedMemory::kPageBytes;
  // If the kernel refuses, the memory stays for the next execution.
  if (first < end) static_cast<void>(madvise(area.data() + first, end - first, MADV_REMOVE));
}

}  // namespace inferd::worker
