#include "serving/worker/channel/pinned_counters.h"

#include <new>
#include <string>
#include <string_view>

namespace inferd::worker {

namespace {

using enginehost::PinnedUse;

constexpr std::string_view kCountersPurpose = "memory for the counters of a worker process";

// Two processes share the counters.
static_assert(std::atomic<uint64_t>::is_always_lock_free);

}  // namespace

base::Result<std::shared_ptr<PinnedCounters>> PinnedCounters::Create() {
  INFERD_ASSIGN_OR_RETURN(SharedMemory memory, SharedMemory::Create("inferd-pinned", kCountersPurpose,
                                                                    SharedMemory::RoundUp(sizeof(PinnedUse)), false));
  new (memory.bytes().data()) PinnedUse();
  return std::shared_ptr<PinnedCounters>(new PinnedCounters(std::move(memory)));
}

base::Result<std::shared_ptr<PinnedCounters>> PinnedCounters::Open(int descriptor) {
  INFERD_ASSIGN_OR_RETURN(SharedMemory memory, SharedMemory::Open(descriptor, kCountersPurpose, true));
  if (memory.bytes().size() < sizeof(PinnedUse)) {
    return std::unexpected(base::InvalidArgument(std::string(kCountersPurpose) + " is too small"));
  }
  return std::shared_ptr<PinnedCounters>(new PinnedCounters(std::move(memory)));
}

std::shared_ptr<PinnedUse> PinnedCounters::Use(const std::shared_ptr<PinnedCounters>& counters) {
  void* const data = counters->memory_.bytes().data();
  return {counters, std::launder(static_cast<PinnedUse*>(data))};
}

}  // namespace inferd::worker
