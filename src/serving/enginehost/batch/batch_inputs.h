#pragma once

#include <boost/container/small_vector.hpp>
#include <span>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "inferd/engine_abi.h"
#include "serving/core/engine.h"
#include "serving/enginehost/batch/input_places.h"
#include "serving/enginehost/model/loaded_model.h"
#include "serving/enginehost/transfer/pending_copies.h"

namespace inferd::enginehost {

// The inputs of one execution in the ABI's form. Points into the execution's buffers. Copies, and counts, only bytes
// that the engine cannot take as they are (misaligned, on another device, or in several pieces where it wants one).
// Copies to a device run at the same time, through pinned memory unless the model's configuration forbids it. All are
// complete when Prepare() returns. Not thread-safe. Reusable after Clear(), which keeps the memory.
class BatchInputs final {
 public:
  // INVALID_ARGUMENT if an input's bytes do not fit its shape and datatype. RESOURCE_EXHAUSTED if a device has no room
  // for them. After an error, only Clear() may be called.
  base::Status Prepare(const LoadedModel& model, const InstanceSeat& seat, const core::Execution& execution);
  void Clear();

  const inferd_input* const* list() const { return list_.data(); }
  size_t count() const { return list_.size(); }

 private:
  base::Status Add(const LoadedModel& model, const InstanceSeat& seat, const core::ExecutionInput& input);
  base::Status AddBytes(const LoadedModel& model, const InstanceSeat& seat, const InputWish& wish,
                        const core::ExecutionInput& input);
  base::Status AddElements(const core::TensorSpec& spec, const InputWish& wish, const core::ExecutionInput& input);
  base::Status Copy(const LoadedModel& model, const InputPlaces& places, std::span<const base::BufferSlice> pieces,
                    size_t alignment);
  base::Status StartCopies(const LoadedModel& model, std::span<const base::BufferSlice> pieces, const base::Buffer& to,
                           std::byte* at);

  boost::container::small_vector<inferd_input, 4> inputs_;
  boost::container::small_vector<const inferd_input*, 4> list_;
  boost::container::small_vector<inferd_memory, 4> pieces_;
  std::vector<std::vector<inferd_text>> elements_;
  boost::container::small_vector<base::Buffer, 1> copies_;
  PendingCopies pending_;  // destroyed first, as it writes to the copies above
};

}  // namespace inferd::enginehost
