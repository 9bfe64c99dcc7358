#pragma once

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "base/memory_place.h"
#include "base/status.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// An instance inside its engine, and where it computes: on the GPU of `place`, or on none if the place is readable.
struct InstanceSeat {
  inferd_instance* instance = nullptr;
  base::MemoryPlace place = {};
  bool prepares_ahead = false;  // inputs are prepared while it computes (LoadedModel::prepares_ahead)
};

// The places where an instance takes the bytes of one input. Refers to its arguments.
class InputPlaces final {
 public:
  InputPlaces(const LoadedModel& model, const InstanceSeat& seat, uint32_t input, const InputWish& wish)
      : model_(model), seat_(seat), input_(input), wish_(wish) {}

  bool Takes(base::MemoryPlace place) const;

  // Returns memory that the instance takes, the engine's own if it offers some: `size` bytes after the first multiple
  // of the input's alignment. RESOURCE_EXHAUSTED if a device has no room. INTERNAL if the engine returned unusable
  // memory. Throws std::bad_alloc.
  base::Result<base::Buffer> Allocate(size_t size) const;

 private:
  bool Names(int32_t kind) const;
  base::Result<base::Buffer> AskEngine(size_t size) const;

  const LoadedModel& model_;
  const InstanceSeat& seat_;
  const uint32_t input_;
  const InputWish& wish_;
};

}  // namespace inferd::enginehost
