#pragma once

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "base/memory_place.h"
#include "base/status.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// An instance inside its engine, and where it computes: on a GPU, or, if the place is readable, on none.
struct InstanceSeat {
  inferd_instance* instance = nullptr;
  base::MemoryPlace place = {};
  bool prepares_ahead = false;  // inputs are prepared while it computes (LoadedModel::prepares_ahead)
};

// Where an instance takes the bytes of one of its inputs. Refers to its arguments.
class InputPlaces final {
 public:
  InputPlaces(const LoadedModel& model, const InstanceSeat& seat, uint32_t input, const InputWish& wish)
      : model_(model), seat_(seat), input_(input), wish_(wish) {}

  bool Takes(base::MemoryPlace place) const;

  // Memory that it takes, the engine's own if the engine has some for it: `size` bytes behind the first multiple of the
  // input's alignment. RESOURCE_EXHAUSTED: a device has no room. INTERNAL: the engine gave what cannot be used. Throws
  // std::bad_alloc.
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
