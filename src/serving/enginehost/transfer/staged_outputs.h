#pragma once

#include <boost/container/small_vector.hpp>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/enginehost/transfer/pending_copies.h"

namespace inferd::enginehost {

// Outputs on their way from devices to CPU memory, all at the same time. They go through pinned memory, which is
// released as soon as they have arrived, however slowly the clients read them. Not thread-safe.
class StagedOutputs final {
 public:
  // Copies all of `from` to the beginning of `to`. `pinned` must have room for it, or be empty: then the device copies
  // to `to` itself.
  base::Status Add(const base::BufferSlice& from, base::Buffer pinned, base::Buffer to);
  // Call after the last output. Waits for all of them. Returns the error of the first that failed.
  base::Status Finish();

 private:
  struct Staged {
    base::Buffer pinned;
    base::Buffer to;
    size_t bytes;
  };

  boost::container::small_vector<Staged, 4> staged_;
  PendingCopies copies_;
};

}  // namespace inferd::enginehost
