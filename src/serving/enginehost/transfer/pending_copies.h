#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>

#include "base/buffer.h"
#include "base/device_memory.h"
#include "base/memory_place.h"
#include "base/status.h"

namespace inferd::enginehost {

// Copies to and from devices that run at the same time, and the fence that waits for them:
//
//   PendingCopies copies;
//   copies.Start(request_bytes, input_on_gpu, input_on_gpu.data());   returns at once
//   copies.Start(other_bytes, other_on_gpu, other_on_gpu.data());
//   copies.Await();                                                   now both are there
//
// Holds the memory that each copy reads and writes until Await() or the destructor, which also waits, has returned. So
// a request's memory is neither freed nor reused while a device still reads it, even if the request has ended. Not
// thread-safe.
class PendingCopies final {
 public:
  PendingCopies() = default;
  ~PendingCopies() { static_cast<void>(Await()); }
  PendingCopies(const PendingCopies&) = delete;
  PendingCopies& operator=(const PendingCopies&) = delete;

  // Starts a copy of all of `from` to `at`, which is inside `to`. If no device queue can do it (for example between two
  // CPU buffers), copies at once.
  base::Status Start(const base::BufferSlice& from, const base::Buffer& to, std::byte* at);

  // Waits for all copies. Returns the first error of any copy since the last call.
  base::Status Await();

 private:
  base::Result<base::CopyQueue*> QueueFor(base::MemoryPlace from, base::MemoryPlace to);

  boost::container::small_vector<base::Buffer, 8> held_;
  base::MemoryPlace device_;                // the queue's device
  std::unique_ptr<base::CopyQueue> queue_;  // kept for the next copies; null until one was needed
};

}  // namespace inferd::enginehost
