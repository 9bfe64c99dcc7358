#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>

#include "base/buffer.h"
#include "base/device_memory.h"
#include "base/memory_place.h"
#include "base/status.h"

namespace inferd::enginehost {

// Copies from and to a device that are under way together, and the fence behind them:
//
//   PendingCopies copies;
//   copies.Start(request_bytes, input_on_gpu, input_on_gpu.data());   returns at once
//   copies.Start(other_bytes, other_on_gpu, other_on_gpu.data());
//   copies.Await();                                                   now both are there
//
// It holds what each copy reads and writes until Await() has returned, or it is destroyed, which waits too: so the
// bytes of a request are neither freed nor used for another one while a device still reads them, whatever becomes of
// the request. Not thread-safe.
class PendingCopies final {
 public:
  PendingCopies() = default;
  ~PendingCopies() { static_cast<void>(Await()); }
  PendingCopies(const PendingCopies&) = delete;
  PendingCopies& operator=(const PendingCopies&) = delete;

  // Of all of `from` to `at`, which is inside `to`. Where no queue of a device is of use (both are memory of the CPU,
  // say), it is done at once.
  base::Status Start(const base::BufferSlice& from, const base::Buffer& to, std::byte* at);

  // The first error of any copy since it was called last.
  base::Status Await();

 private:
  base::Result<base::CopyQueue*> QueueFor(base::MemoryPlace from, base::MemoryPlace to);

  boost::container::small_vector<base::Buffer, 8> held_;
  base::MemoryPlace device_;                // of the queue
  std::unique_ptr<base::CopyQueue> queue_;  // kept for the next copies; null: none was of use yet
};

}  // namespace inferd::enginehost
