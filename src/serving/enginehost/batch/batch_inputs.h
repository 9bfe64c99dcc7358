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

// The inputs of one execution in the ABI's form. Points into the execution's buffers; copies only what the engine
// cannot take where it lies (misaligned, on another device, or in several pieces where it wants one), and counts that.
// What goes to a device goes there by copies that are under way together, through pinned memory where the model's
// configuration does not forbid it; all of it is there when Prepare() returns. Not thread-safe; reusable after Clear(),
// keeping its memory.
class BatchInputs final {
 public:
  // INVALID_ARGUMENT: an input's bytes do not fit its shape and datatype. RESOURCE_EXHAUSTED: a device has no room for
  // them. After an error only Clear() may be called.
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
  PendingCopies pending_;  // destroyed first: the copies above are what it writes
};

}  // namespace inferd::enginehost
