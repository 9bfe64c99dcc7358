#include "enginehost/model/engine_memory.h"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "enginehost/model/abi_values.h"

namespace inferd::enginehost {

namespace {

inferd_memory ToMemory(const std::byte* data, base::MemoryPlace place, size_t size) {
  return {data, size, static_cast<int32_t>(place.kind), place.device};
}

// An engine's memory. Never destroyed, as the engine's library is never closed: buffers point to both.
class EngineMemory final : public base::DeviceMemory {
 public:
  EngineMemory(const inferd_device_memory& table, std::string engine) : table_(table), engine_(std::move(engine)) {}

  base::Result<base::Buffer> Allocate(base::MemoryPlace place, size_t size) override {
    const auto kind = static_cast<int32_t>(place.kind);
    void* const data = table_.allocate(kind, place.device, size);
    if (data == nullptr) {
      return std::unexpected(base::ResourceExhausted("engine '" + engine_ + "' has no room for " +
                                                     std::to_string(size) + " bytes on device " +
                                                     std::to_string(place.device)));
    }
    return base::Buffer::Wrap(
        static_cast<std::byte*>(data), size,
        [this, kind, device = place.device, data, size] { table_.release(kind, device, data, size); }, place);
  }

  base::Status Copy(const std::byte* from, base::MemoryPlace from_place, std::byte* to, base::MemoryPlace to_place,
                    size_t size) override {
    const inferd_memory source = ToMemory(from, from_place, size);
    const inferd_memory target = ToMemory(to, to_place, size);
    inferd_error error;
    const int32_t code = table_.copy(&source, &target, &error);
    if (code == INFERD_OK) return base::OkStatus();
    if (!error.status.ok()) return error.status;
    return ToStatus(code, "engine '" + engine_ + "' cannot copy from or to a device and does not say why");
  }

 private:
  const inferd_device_memory& table_;
  const std::string engine_;
};

}  // namespace

base::Status OpenEngineMemory(OpenedEngine& engine) {
  if (!INFERD_HAS_FIELD(inferd_engine, engine.table, device_memory)) return base::OkStatus();
  const inferd_device_memory* const table = engine.table->device_memory;
  if (table == nullptr) return base::OkStatus();
  const bool complete = INFERD_HAS_FIELD(inferd_device_memory, table, copy) && table->allocate != nullptr &&
                        table->release != nullptr && table->copy != nullptr;
  if (!complete || table->device_count < 0 || table->device_count > INFERD_DEVICES_MAX) {
    return base::FailedPrecondition("lacks a function of its devices, or has more than " +
                                    std::to_string(INFERD_DEVICES_MAX));
  }
  auto memory = std::make_unique<EngineMemory>(*table, engine.name);
  engine.runtime = base::RegisterDeviceMemory(memory.get());
  if (engine.runtime == 0) return base::FailedPrecondition("is one too many with memory of devices");
  engine.device_count = table->device_count;
  static_cast<void>(memory.release());
  return base::OkStatus();
}

}  // namespace inferd::enginehost
