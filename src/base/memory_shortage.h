#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace inferd::base {

// What a process does about memory that runs out (RLIMIT_AS, or a system that does not overcommit): it keeps some back,
// gives that up when an allocation fails, so that the small allocations of unwinding, answering and logging succeed,
// and takes no new requests until it has it again. What an allocation of a client's size ends in is std::bad_alloc
// still, which is caught at these boundaries, and becomes RESOURCE_EXHAUSTED: tasks of loops, timers and pools, events
// of connections (the connection is closed), loads of models, calls of engines, and what decodes and encodes bodies.
// Thread-safe, all of it. Memory that a control group limits is another matter: there the kernel ends the process.

// To be called once, when the process starts. Later allocations that fail find the reserve.
void KeepMemoryReserve(size_t bytes);

// An allocation failed since the reserve was last whole.
bool MemoryIsShort();

// Makes the reserve whole again if it is not. False: there is no memory for that.
bool RestoreMemoryReserve();

// Whether this thread unwinds, or drops, what it had no memory for: what is answered meanwhile is answered so.
bool DropsForWantOfMemory();

// This thread drops what it had no memory for, until the end of the scope.
class DroppingForWantOfMemory final {
 public:
  DroppingForWantOfMemory();
  ~DroppingForWantOfMemory();
  DroppingForWantOfMemory(const DroppingForWantOfMemory&) = delete;
  DroppingForWantOfMemory& operator=(const DroppingForWantOfMemory&) = delete;

 private:
  const bool outer_;
};

// Runs a task that nothing else would catch the std::bad_alloc of. False: memory ran out; the task is destroyed, and so
// what it had taken on is dropped and answered.
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
