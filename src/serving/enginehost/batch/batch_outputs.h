#pragma once

#include <boost/container/small_vector.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.h"
#include "base/mutex.h"
#include "base/status.h"
#include "inferd/engine_abi.h"
#include "serving/core/engine.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// Output memory that an execution's engine asked for and that no response has taken over yet. Thread-safe.
class OutputAllocations final {
 public:
  void Add(base::Buffer buffer);
  std::optional<base::Buffer> Take(const void* data);  // the buffer that starts at `data`
  void Clear();

 private:
  base::Mutex mutex_;
  boost::container::small_vector<base::Buffer, 2> buffers_ GUARDED_BY(mutex_);
};

// Takes a response's outputs, checks them against the signature, and orders them as `wanted`. Takes over all memory
// that the engine hands over, also on failure, so that every `release` runs. An output that may be missing, and is,
// gets no datatype. INTERNAL if another output is missing, if one is listed twice, if its datatype, size or place is
// wrong, or if its shape is, unless that is a hint (core::TensorSpec::shape_is_hint). Copies the engine's own memory on
// a device to memory of the execution, unless the output is wanted there. Thread-safe for different responses.
base::Result<std::vector<core::InferTensor>> TakeOutputs(const std::shared_ptr<const LoadedModel>& model,
                                                         const std::vector<int>& wanted,
                                                         const inferd_response& response, core::Execution& execution,
                                                         OutputAllocations* allocations);

}  // namespace inferd::enginehost
