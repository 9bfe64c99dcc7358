#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "serving/worker/channel/doorbell.h"
#include "serving/worker/channel/shared_memory.h"

namespace inferd::worker {

// The memory that the server and a worker process share for one channel of an instance. It carries one execution at a
// time, and that execution's answers.
//
//   header | call area, written by the server: tensors and their description | answer area, written by the worker
//
// Areas have their maximum size. The kernel allocates pages when they are first written. Pages after the first
// kKeptBytes are returned to the system when their use ends.

inline constexpr uint32_t kRingEntries = 256;  // answers that the server has not taken yet; a power of two
inline constexpr uint32_t kBlocksMax = 4096;   // pieces of the answer area in use at a time
inline constexpr uint32_t kNoBlock = UINT32_MAX;
inline constexpr size_t kCancelFlags = 1024;  // requests of an execution beyond this get no cancellation
inline constexpr size_t kKeptBytes = 32 << 20;

enum class AnswerKind : uint32_t { kOne = 0, kOneFinal = 1, kAll = 2, kFinished = 3 };

// One call of core::Execution by the engine. Its message is in a block of the answer area.
struct AnswerEntry {
  uint32_t kind = 0;     // AnswerKind
  uint32_t request = 0;  // kOne, kOneFinal
  uint32_t block = 0;    // kNoBlock if there is no message
  uint32_t reserved = 0;
  uint64_t offset = 0;  // in the answer area
  uint64_t bytes = 0;
};

struct ChannelHeader {
  alignas(64) Doorbell calls;    // rung by the server for each execution
  alignas(64) Doorbell answers;  // rung by the worker for each entry of the ring; entry n is at n % kRingEntries
  alignas(64) Doorbell taken;    // rung by the server for each entry that it has taken
  // The call's place in the call area.
  alignas(64) uint64_t call_offset;
  uint64_t call_bytes;
  uint64_t call_number;  // counted per instance over all channels, from 0: the order in which the engine gets the calls
  std::atomic<int32_t> thread;  // the kernel's id of the worker's thread that waits for calls; 0 until it runs
  alignas(64) AnswerEntry ring[kRingEntries];
  std::atomic<uint8_t> cancelled[kCancelFlags];  // set by the server: nobody waits for this request any more
  std::atomic<uint32_t> released[kBlocksMax];    // set to 1 by the server when it has released the block
};

// A mapping of such memory, on either side. The other side can change the contents at any time: copy whatever you read,
// then check the copy. The object is immutable, so thread-safe.
class ChannelMemory final {
 public:
  // `area_bytes` is the size of each area. RESOURCE_EXHAUSTED if the system has no memory.
  static base::Result<std::shared_ptr<ChannelMemory>> Create(size_t area_bytes);
  // Maps the other side's memory. The caller keeps ownership of `descriptor`. INVALID_ARGUMENT if it is no such memory.
  static base::Result<std::shared_ptr<ChannelMemory>> Open(int descriptor);
  ChannelMemory(const ChannelMemory&) = delete;
  ChannelMemory& operator=(const ChannelMemory&) = delete;

  // The descriptor that the other side opens; -1 in memory that was opened. Closed by Sent() or the destructor.
  int descriptor() const { return memory_.descriptor(); }
  void Sent() { memory_.CloseDescriptor(); }

  ChannelHeader& header() const { return *static_cast<ChannelHeader*>(static_cast<void*>(memory_.bytes().data())); }
  std::span<std::byte> call_area() const { return memory_.bytes().subspan(HeaderBytes(), area_bytes_); }
  std::span<std::byte> answer_area() const { return memory_.bytes().subspan(HeaderBytes() + area_bytes_); }

  // Returns to the system the pages of `used` after the area's first kKeptBytes. They then read as zeros.
  static void Trim(std::span<std::byte> area, std::span<std::byte> used);

 private:
  explicit ChannelMemory(SharedMemory memory)
      : memory_(std::move(memory)), area_bytes_((memory_.bytes().size() - HeaderBytes()) / 2) {}
  static size_t HeaderBytes();

  SharedMemory memory_;
  const size_t area_bytes_;
};

}  // namespace inferd::worker
