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

// Output memory that an execution's engine asked for and no response took over yet. Thread-safe.
class OutputAllocations final {
 public:
  void Add(base::Buffer buffer);
  std::optional<base::Buffer> Take(const void* data);  // the buffer that starts at `data`
  void Clear();

 private:
  base::Mutex mutex_;
  boost::container::small_vector<base::Buffer, 2> buffers_ GUARDED_BY(mutex_);
};

// A response's outputs, checked against the signature and put in the order of `wanted`. Takes over what the engine
// hands over, also on failure, so every `release` runs. An output that may be missing, and is, has no datatype.
// INTERNAL: another output is missing, one is listed twice, its datatype, size or place is wrong, or its shape, where
// that is no hint (core::TensorSpec::shape_is_hint). What is in the engine's own memory on a device is copied to memory
// of the execution's, unless it is wanted there. Thread-safe for different responses.
base::Result<std::vector<core::InferTensor>> TakeOutputs(const std::shared_ptr<const LoadedModel>& model,
                                                         const std::vector<int>& wanted,
                                                         const inferd_response& response, core::Execution& execution,
                                                         OutputAllocations* allocations);

}  // namespace inferd::enginehost
