#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace inferd::base {

// Handling of memory shortage (RLIMIT_AS, or a system that does not overcommit). The process keeps a reserve of memory.
// When an allocation fails, it frees the reserve, so that the small allocations for unwinding, answering and logging
// succeed. It accepts no new requests until the reserve is restored.
// Allocations whose size a client chose still throw std::bad_alloc. It is caught and becomes RESOURCE_EXHAUSTED at
// these boundaries: tasks of loops, timers and pools, connection events (which close the connection), loads of models,
// calls of engines, and the encoding and decoding of bodies. Everything here is thread-safe. The limit of a control
// group is not handled: there the kernel kills the process.

// Allocates the reserve. Call once, when the process starts; later allocations that fail use the reserve.
void KeepMemoryReserve(size_t bytes);

// Returns true if an allocation has failed since the reserve was last complete.
bool MemoryIsShort();

// Restores the reserve if it was used. Returns false if there is no memory for it.
bool RestoreMemoryReserve();

// Returns true while this thread unwinds, or drops work, after a failed allocation. Responses made meanwhile report it.
bool DropsForWantOfMemory();

// Marks, for its scope, that this thread drops work for which it had no memory.
class DroppingForWantOfMemory final {
 public:
  DroppingForWantOfMemory();
  ~DroppingForWantOfMemory();
  DroppingForWantOfMemory(const DroppingForWantOfMemory&) = delete;
  DroppingForWantOfMemory& operator=(const DroppingForWantOfMemory&) = delete;

 private:
  const bool outer_;
};

// Runs a task, for callers that have no other handler for std::bad_alloc. Returns false if memory ran out. The task is
// then destroyed, and its destructors drop and answer the requests that it held.
template <typename Task>
bool RunUnlessOutOfMemory(Task&& task) {
  try {
    task();
    return true;
  } catch (const std::bad_alloc&) {
    const DroppingForWantOfMemory dropping;
    [[maybe_unused]] const std::remove_cvref_t<Task> dropped = std::move(task);
    return false;
  }
}

}  // namespace inferd::base
