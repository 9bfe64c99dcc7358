#include "serving/worker/channel/body_memory.h"

#include <optional>
#include <string_view>

namespace inferd::worker {

namespace {

constexpr std::string_view kPurpose = "memory for the bodies of a model's requests";

}  // namespace

base::Result<std::shared_ptr<BodyMemory>> BodyMemory::Create(size_t bytes) {
  INFERD_ASSIGN_OR_RETURN(SharedMemory memory, SharedMemory::Create("inferd-bodies", kPurpose,
                                                                    SharedMemory::RoundUp(bytes), /*only_here=*/true));
  return std::shared_ptr<BodyMemory>(new BodyMemory(std::move(memory)));
}

base::Buffer BodyMemory::Allocate(size_t size, size_t align_at) {
  if (size > memory_.bytes().size()) return {};
  const size_t lead = (base::kBufferAlignment - align_at % base::kBufferAlignment) % base::kBufferAlignment;
  const size_t taken = SharedMemory::RoundUp(lead + size + base::kBufferSlack, base::kBufferAlignment);
  std::optional<size_t> offset;
  {
    base::MutexLock lock(mutex_);
    offset = free_.Take(taken);
  }
  if (!offset.has_value()) return {};
  return base::Buffer::Wrap(memory_.bytes().data() + *offset + lead, size,
                            [self = shared_from_this(), at = *offset, taken] { self->Free(at, taken); });
}

void BodyMemory::Free(size_t offset, size_t bytes) {
  base::MutexLock lock(mutex_);
  free_.Give(offset, bytes);
}

base::Result<std::shared_ptr<const BodyView>> BodyView::Open(int descriptor) {
  INFERD_ASSIGN_OR_RETURN(SharedMemory memory, SharedMemory::Open(descriptor, kPurpose, /*writable=*/false));
  return std::shared_ptr<const BodyView>(new BodyView(std::move(memory)));
}

}  // namespace inferd::worker
