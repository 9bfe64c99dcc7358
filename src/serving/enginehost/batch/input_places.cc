#include "serving/enginehost/batch/input_places.h"

#include <string>
#include <utility>

#include "base/device_memory.h"

namespace inferd::enginehost {

bool InputPlaces::Names(int32_t kind) const {
  const uint32_t kinds = wish_.memory_kinds == 0 ? 1u << INFERD_MEMORY_CPU : wish_.memory_kinds;
  return (kinds & (1u << kind)) != 0;
}

bool InputPlaces::Takes(base::MemoryPlace place) const {
  if (seat_.place.readable()) return place.readable();
  if (place.kind == base::MemoryKind::kGpu) return place == seat_.place && Names(INFERD_MEMORY_GPU);
  // Pinned memory is CPU memory, too.
  return Names(INFERD_MEMORY_CPU) || (place.kind == base::MemoryKind::kCpuPinned && Names(INFERD_MEMORY_CPU_PINNED));
}

base::Result<base::Buffer> InputPlaces::AskEngine(size_t size) const {
  const inferd_engine& table = model_.table();
  if (seat_.prepares_ahead) return base::Buffer();  // the call would overlap execute()
  if (!INFERD_HAS_FIELD(inferd_engine, &table, allocate_input) || table.allocate_input == nullptr) {
    return base::Buffer();
  }
  inferd_input_memory given = {};
  given.struct_size = sizeof(given);
  if (table.allocate_input(seat_.instance, input_, size, &given) != INFERD_OK) return base::Buffer();
  auto release = [function = given.release, arg = given.release_arg] {
    if (function != nullptr) function(arg);
  };
  auto* const data = static_cast<std::byte*>(const_cast<void*>(given.memory.data));
  const base::MemoryPlace place{.kind = static_cast<base::MemoryKind>(given.memory.kind),
                                .runtime = model_.engine().runtime,
                                .device = static_cast<uint16_t>(given.memory.device)};
  base::Buffer buffer = base::Buffer::Wrap(data, given.memory.size, std::move(release), place);
  const bool aligned = (reinterpret_cast<uintptr_t>(data) & (wish_.alignment - 1)) == 0;
  const bool usable = data != nullptr && given.memory.size >= size && aligned && given.memory.kind >= 0 &&
                      given.memory.kind <= INFERD_MEMORY_GPU && given.memory.device >= 0 && Takes(place);
  if (usable) return buffer;
  return std::unexpected(model_.Fault("gave memory for input " + std::to_string(input_) +
                                      " that its model does not take, or that is too small or not aligned"));
}

base::Result<base::Buffer> InputPlaces::Allocate(size_t size) const {
  INFERD_ASSIGN_OR_RETURN(base::Buffer own, AskEngine(size));
  if (own) return own;
  // Buffers start at multiples of kBufferAlignment. A larger alignment needs room to skip ahead.
  const size_t room = size + (wish_.alignment > base::kBufferAlignment ? wish_.alignment : 0);
  if (Takes({})) return base::Buffer::Allocate(room);
  base::MemoryPlace place = seat_.place;
  if (!Names(INFERD_MEMORY_GPU)) place.kind = base::MemoryKind::kCpuPinned;
  base::DeviceMemory* const memory = base::FindDeviceMemory(place.runtime);
  if (memory == nullptr) return std::unexpected(model_.Fault("takes inputs on devices, but says nothing of these"));
  return memory->Allocate(place, room);
}

}  // namespace inferd::enginehost
