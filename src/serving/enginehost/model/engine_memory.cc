#include "serving/enginehost/model/engine_memory.h"

#include <atomic>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "serving/enginehost/model/abi_values.h"

namespace inferd::enginehost {

namespace {

inferd_memory ToMemory(const std::byte* data, base::MemoryPlace place, size_t size) {
  return {data, size, static_cast<int32_t>(place.kind), place.device};
}

base::Result<base::Buffer> AllocateFrom(const inferd_device_memory& table, const std::string& engine,
                                        base::MemoryPlace place, size_t size) {
  const auto kind = static_cast<int32_t>(place.kind);
  void* const data = table.allocate(kind, place.device, size);
  if (data == nullptr) {
    const std::string where =
        place.readable() ? " bytes of pinned memory" : " bytes on device " + std::to_string(place.device);
    return std::unexpected(
        base::ResourceExhausted("engine '" + engine + "' has no room for " + std::to_string(size) + where));
  }
  return base::Buffer::Wrap(
      static_cast<std::byte*>(data), size,
      [&table, kind, device = place.device, data, size] { table.release(kind, device, data, size); }, place);
}

// Returns the result of a call of the table, in which the engine may have set an error.
base::Status Outcome(int32_t code, const inferd_error& error, const std::string& engine, std::string_view what) {
  if (code == INFERD_OK) return base::OkStatus();
  if (!error.status.ok()) return error.status;
  return ToStatus(code, "engine '" + engine + "' cannot " + std::string(what) + " and does not say why");
}

constexpr std::string_view kCopies = "copy from or to a device";

// A queue of the engine's copies.
class EngineQueue final : public base::CopyQueue {
 public:
  // `table` and `engine` must outlive it.
  EngineQueue(const inferd_device_memory& table, const std::string& engine, inferd_copy_queue* queue)
      : table_(table), engine_(engine), queue_(queue) {}
  ~EngineQueue() override { table_.close_queue(queue_); }

  base::Status Start(const std::byte* from, base::MemoryPlace from_place, std::byte* to, base::MemoryPlace to_place,
                     size_t size) override {
    const inferd_memory source = ToMemory(from, from_place, size);
    const inferd_memory target = ToMemory(to, to_place, size);
    inferd_error error;
    return Outcome(table_.start_copy(queue_, &source, &target, &error), error, engine_, kCopies);
  }
  base::Status Await() override {
    inferd_error error;
    return Outcome(table_.await_copies(queue_, &error), error, engine_, kCopies);
  }

 private:
  const inferd_device_memory& table_;
  const std::string& engine_;
  inferd_copy_queue* const queue_;
};

// An engine's memory. Never destroyed: buffers point to it and to the engine's library, which is never closed.
class EngineMemory final : public base::DeviceMemory {
 public:
  EngineMemory(const OpenedEngine& engine, const inferd_device_memory& table)
      : table_(table), engine_(engine.name), pinned_(engine.pinned) {}

  base::Result<base::Buffer> Allocate(base::MemoryPlace place, size_t size) override {
    if (place.kind == base::MemoryKind::kCpuPinned && pinned_ != nullptr) {
      if (base::Buffer block = pinned_->Take(size)) return block;
    }
    // For an input that must be in pinned memory. A new allocation takes longer than a block of the pool.
    return AllocateFrom(table_, engine_, place, size);
  }

  base::Status Copy(const std::byte* from, base::MemoryPlace from_place, std::byte* to, base::MemoryPlace to_place,
                    size_t size) override {
    const inferd_memory source = ToMemory(from, from_place, size);
    const inferd_memory target = ToMemory(to, to_place, size);
    inferd_error error;
    return Outcome(table_.copy(&source, &target, &error), error, engine_, kCopies);
  }

  base::Result<std::unique_ptr<base::CopyQueue>> OpenQueue(uint16_t device) override {
    const bool has = INFERD_HAS_FIELD(inferd_device_memory, &table_, await_copies) && table_.open_queue != nullptr &&
                     table_.close_queue != nullptr && table_.start_copy != nullptr && table_.await_copies != nullptr;
    if (!has || device >= table_.device_count) return DeviceMemory::OpenQueue(device);
    inferd_copy_queue* queue = nullptr;
    inferd_error error;
    const int32_t code = table_.open_queue(device, &queue, &error);
    INFERD_RETURN_IF_ERROR(Outcome(code, error, engine_, "open a queue for copies"));
    return std::make_unique<EngineQueue>(table_, engine_, queue);
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
    const int32_t code = table_.open_handle(device, handle.data(), &memory, &error);
    INFERD_RETURN_IF_ERROR(Outcome(code, error, engine_, "open the handle"));
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
  const std::shared_ptr<PinnedPool> pinned_;  // null if there is none
  std::atomic<uint8_t> number_ = 0;           // the runtime's number
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
  auto memory = std::make_unique<EngineMemory>(engine, *table);
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

base::Status OpenPinnedMemory(const OpenedEngine& engine, int32_t device) {
  if (engine.pinned == nullptr) return base::OkStatus();
  const base::MemoryPlace place{
      .kind = base::MemoryKind::kCpuPinned, .runtime = engine.runtime, .device = static_cast<uint16_t>(device)};
  return engine.pinned->Open(
      [&](size_t bytes) { return AllocateFrom(*engine.table->device_memory, engine.name, place, bytes); });
}

}  // namespace inferd::enginehost
