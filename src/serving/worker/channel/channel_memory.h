#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "serving/worker/channel/doorbell.h"
#include "serving/worker/channel/shared_memory.h"

namespace inferd::worker {

// The memory that the server and a worker process share for one instance: one execution at a time goes out in it, and
// its answers come back.
//
//   header | call area, written by the server: tensors and what they are | answer area, written by the worker
//
// Areas are as large as they may ever become; the kernel gives them pages as they are first written, and takes those
// behind the first kKeptBytes back when their use is over.

inline constexpr uint32_t kRingEntries = 256;  // answers that the server has not looked at yet; a power of two
inline constexpr uint32_t kBlocksMax = 4096;   // pieces of the answer area in use at a time
inline constexpr uint32_t kNoBlock = UINT32_MAX;
inline constexpr size_t kCancelFlags = 1024;  // requests of an execution beyond that never learn of a cancellation
inline constexpr size_t kKeptBytes = 32 << 20;

enum class AnswerKind : uint32_t { kOne = 0, kOneFinal = 1, kAll = 2, kFinished = 3 };

// One call of core::Execution by the engine. What it says stands in a block of the answer area.
struct AnswerEntry {
  uint32_t kind = 0;     // AnswerKind
  uint32_t request = 0;  // kOne, kOneFinal
  uint32_t block = 0;    // kNoBlock: nothing is said
  uint32_t reserved = 0;
  uint64_t offset = 0;  // in the answer area
  uint64_t bytes = 0;
};

struct ChannelHeader {
  alignas(64) Doorbell calls;    // rung by the server for each execution
  alignas(64) Doorbell answers;  // rung by the worker for each entry of the ring; entry n is at n % kRingEntries
  alignas(64) Doorbell taken;    // rung by the server for each entry it is done with
  // Of the call, in the call area.
  alignas(64) uint64_t call_offset;
  uint64_t call_bytes;
  uint64_t
      call_number;  // among those of the instance, over all its channels, from 0: the engine sees them in this order
  std::atomic<int32_t> thread;  // the worker's, which waits for calls, as the kernel numbers it; 0: it is not there yet
  alignas(64) AnswerEntry ring[kRingEntries];
  std::atomic<uint8_t> cancelled[kCancelFlags];  // by the server: nobody waits for this request
  std::atomic<uint32_t> released[kBlocksMax];    // by the server: 1, it is done with this block
};

// A mapping of such memory, by either side. The contents are the other side's, too: whatever is read from there is a
// copy first, and checked. Immutable as an object, so thread-safe.
class ChannelMemory final {
 public:
  // `area_bytes`: of each area. RESOURCE_EXHAUSTED: the system gives none.
  static base::Result<std::shared_ptr<ChannelMemory>> Create(size_t area_bytes);
  // The other side's; `descriptor` stays the caller's. INVALID_ARGUMENT: it is no such memory.
  static base::Result<std::shared_ptr<ChannelMemory>> Open(int descriptor);
  ChannelMemory(const ChannelMemory&) = delete;
  ChannelMemory& operator=(const ChannelMemory&) = delete;

  // What the other side opens; -1 in memory that was opened. Closed by Sent() or with the object.
  int descriptor() const { return memory_.descriptor(); }
  void Sent() { memory_.CloseDescriptor(); }

  ChannelHeader& header() const { return *static_cast<ChannelHeader*>(static_cast<void*>(memory_.bytes().data())); }
  std::span<std::byte> call_area() const { return memory_.bytes().subspan(HeaderBytes(), area_bytes_); }
  std::span<std::byte> answer_area() const { return memory_.bytes().subspan(HeaderBytes() + area_bytes_); }

  // Gives the system back what `used` has of pages behind the area's first kKeptBytes. They read as zeros then.
  static void Trim(std::span<std::byte> area, std::span<std::byte> used);

 private:
  explicit ChannelMemory(SharedMemory memory)
      : memory_(std::move(memory)), area_bytes_((memory_.bytes().size() - HeaderBytes()) / 2) {}
  static size_t HeaderBytes();

  SharedMemory memory_;
  const size_t area_bytes_;
};

}  // namespace inferd::worker
