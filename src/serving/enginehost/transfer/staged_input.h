#pragma once

#include <cstddef>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/enginehost/transfer/pending_copies.h"

namespace inferd::enginehost {

// The pieces of an input on their way to one place on a device, one behind the other. What lies in memory of the CPU
// goes through pinned memory: it is copied there once, 1 MiB at a time, while the device fetches the MiB before by
// itself. Not thread-safe.
class StagedInput final {
 public:
  // To `at`, inside `to`. `pinned` has room for all of it, or is empty: the device copies from where the pieces are.
  StagedInput(PendingCopies& copies, base::Buffer pinned, base::Buffer to, std::byte* at)
      : copies_(copies), pinned_(std::move(pinned)), to_(std::move(to)), at_(at) {}

  base::Status Add(const base::BufferSlice& piece);
  // After the last piece. What was added is there once the copies have been awaited.
  base::Status Finish() { return Send(); }

 private:
  base::Status Send();

  PendingCopies& copies_;
  base::Buffer pinned_;
  const base::Buffer to_;
  std::byte* at_;      // where the next bytes go that are sent
  size_t sent_ = 0;    // of the pinned memory
  size_t filled_ = 0;  // behind that
};

}  // namespace inferd::enginehost
