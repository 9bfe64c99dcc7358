#include "enginehost/model/engine_memory.h"

#include <atomic>
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

  base::Result<base::Buffer> OpenHandle(uint16_t device, std::string_view handle) override {
    const bool opens = INFERD_HAS_FIELD(inferd_device_memory, &table_, close_handle) && table_.open_handle != nullptr &&
                       table_.close_handle != nullptr && device < table_.device_count;
    if (!opens) return DeviceMemory::OpenHandle(device, handle);
    if (handle.size() != INFERD_HANDLE_BYTES) {
      return std::unexpected(base::InvalidArgument("expected a handle of " + std::to_string(INFERD_HANDLE_BYTES) +
                                                   " bytes, got " + std::to_string(handle.size())));
    }
    inferd_memory memory = {};
    inferd_error error;
    if (const int32_t code = table_.open_handle(device, handle.data(), &memory, &error); code != INFERD_OK) {
      if (!error.status.ok()) return std::unexpected(error.status);
      return std::unexpected(ToStatus(code, "engine '" + engine_ + "' cannot open the handle and does not say why"));
    }
    auto close = [this, memory] { table_.close_handle(&memory); };
    base::Buffer opened =
        base::Buffer::Wrap(static_cast<std::byte*>(const_cast<void*>(memory.data)), memory.size, std::move(close),
                           {.kind = base::MemoryKind::kGpu, .runtime = number_, .device = device});
    if (memory.data != nullptr && memory.kind == INFERD_MEMORY_GPU && memory.device == device) return opened;
    return std::unexpected(base::Internal("engine '" + engine_ + "' opened a handle as what it cannot be"));
  }

  void SetNumber(uint8_t number) { number_ = number; }

 private:
  const inferd_device_memory& table_;
  const std::string engine_;
  std::atomic<uint8_t> number_ = 0;  // as a runtime
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
  memory->SetNumber(engine.runtime);
  engine.device_count = table->device_count;
  if (INFERD_HAS_FIELD(inferd_device_memory, table, why_none) && table->why_none != nullptr) {
    engine.why_no_gpus = table->why_none;
  }
  engine.prefers_devices = INFERD_HAS_FIELD(inferd_device_memory, table, preferred) && table->preferred != 0;
  static_cast<void>(memory.release());
  return base::OkStatus();
}

}  // namespace inferd::enginehost
