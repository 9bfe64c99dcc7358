#pragma once

#include <boost/container/small_vector.hpp>

#include "base/buffer.h"
#include "base/status.h"
#include "serving/enginehost/transfer/pending_copies.h"

namespace inferd::enginehost {

// Outputs on their way from devices to memory of the CPU, all at a time: through pinned memory, which is given back as
// soon as they are there, however long their clients take to read them. Not thread-safe.
class StagedOutputs final {
 public:
  // All of `from` to the beginning of `to`. `pinned` has room for it, or is empty: the device copies to where it goes.
  base::Status Add(const base::BufferSlice& from, base::Buffer pinned, base::Buffer to);
  // After the last one: all are there. The error of the first that failed.
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
