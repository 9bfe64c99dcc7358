#pragma once

#include <cstddef>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/enginehost/transfer/pending_copies.h"

namespace inferd::enginehost {

// The pieces of an input on their way to one place on a device, one after the other. Pieces in CPU memory go through
// pinned memory: the processor copies 1 MiB at a time into it, while the device fetches the MiB before. Not
// thread-safe.
class StagedInput final {
 public:
  // Copies to `at`, inside `to`. `pinned` must have room for all pieces, or be empty: then the device copies from the
  // pieces themselves.
  StagedInput(PendingCopies& copies, base::Buffer pinned, base::Buffer to, std::byte* at)
      : copies_(copies), pinned_(std::move(pinned)), to_(std::move(to)), at_(at) {}

  base::Status Add(const base::BufferSlice& piece);
  // Call after the last piece. The bytes are in place once the copies have been awaited.
  base::Status Finish() { return Send(); }

 private:
  base::Status Send();

  PendingCopies& copies_;
  base::Buffer pinned_;
  const base::Buffer to_;
  std::byte* at_;      // destination of the next bytes
  size_t sent_ = 0;    // bytes of the pinned memory already sent
  size_t filled_ = 0;  // bytes filled after those
};

}  // namespace inferd::enginehost
