#include "engines/kit/cuda/cuda_devices.h"

#include <cstring>
#include <string>

namespace inferd::kit {

namespace {

constexpr unsigned kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING: does not wait for the default stream
constexpr int kRelaxed = 2;           // CU_STREAM_CAPTURE_MODE_RELAXED
constexpr unsigned kPeerAccess = 1;   // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, the only flag
constexpr unsigned kPortable = 1;     // CU_MEMHOSTALLOC_PORTABLE: pinned for every device

CudaAddress AddressOf(const void* data) { return reinterpret_cast<CudaAddress>(data); }

bool OnGpu(const inferd_memory& memory) { return memory.kind == INFERD_MEMORY_GPU; }

}  // namespace

// During its life, the calling thread's calls are for a device, and do not disturb a CUDA graph that another thread
// records. At its end the thread's earlier context (the engine's library has contexts there, too) is restored.
class CudaDevices::OnDevice final {
 public:
  OnDevice(CudaDevices& devices, int32_t device) : driver_(devices.driver_) {
    const auto context = devices.ContextOf(device);
    status_ =
        context.has_value() ? driver_.ToStatus(driver_.push_context(*context), "cuCtxPushCurrent") : context.error();
    if (status_.ok()) driver_.exchange_capture_mode(&mode_);
  }
  ~OnDevice() {
    CudaContext context = nullptr;
    if (!status_.ok()) return;
    driver_.exchange_capture_mode(&mode_);
    driver_.pop_context(&context);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  const base::Status& status() const { return status_; }

 private:
  const CudaDriver& driver_;
  base::Status status_;
  int mode_ = kRelaxed;  // then the thread's own mode
};

CudaDevices::CudaDevices(const CudaDriver& driver) : driver_(driver) {
  for (int i = 0; i < driver.device_count; ++i) devices_.push_back(std::make_unique<Device>());
}

base::Result<CudaContext> CudaDevices::ContextOf(int32_t number) {
  if (!Has(number)) {
    return std::unexpected(base::InvalidArgument("there is no GPU " + std::to_string(number) + ", but " +
                                                 std::to_string(driver_.device_count)));
  }
  Device& device = *devices_[number];
  base::MutexLock lock(device.mutex);
  if (device.context != nullptr) return device.context;
  CudaContext context = nullptr;
  INFERD_RETURN_IF_ERROR(driver_.ToStatus(driver_.retain_context(&context, number), "cuDevicePrimaryCtxRetain"));
  device.context = context;
  return context;
}

base::Result<void*> CudaDevices::Allocate(int32_t kind, int32_t device, size_t bytes) {
  if (kind != INFERD_MEMORY_GPU && kind != INFERD_MEMORY_CPU_PINNED) {
    return std::unexpected(base::InvalidArgument("GPUs have no memory of kind " + std::to_string(kind)));
  }
  const OnDevice here(*this, device);
  INFERD_RETURN_IF_ERROR(here.status());
  if (bytes == 0) bytes = 1;  // the driver refuses 0 bytes
  if (kind == INFERD_MEMORY_CPU_PINNED) {
    void* data = nullptr;
    INFERD_RETURN_IF_ERROR(driver_.ToStatus(driver_.allocate_pinned(&data, bytes, kPortable), "cuMemHostAlloc"));
    return data;
  }
  CudaAddress address = 0;
  INFERD_RETURN_IF_ERROR(driver_.ToStatus(driver_.allocate(&address, bytes), "cuMemAlloc"));
  return reinterpret_cast<void*>(address);
}

void CudaDevices::Release(int32_t kind, int32_t device, void* data) {
  const OnDevice here(*this, device);
  if (!here.status().ok()) return;
  // A failure cannot be handled; it belongs to an earlier kernel.
  static_cast<void>(kind == INFERD_MEMORY_CPU_PINNED ? driver_.release_pinned(data) : driver_.release(AddressOf(data)));
}

base::Result<CudaStream> CudaDevices::TakeStream(int32_t number) {
  const OnDevice here(*this, number);
  INFERD_RETURN_IF_ERROR(here.status());
  Device& device = *devices_[number];
  {
    base::MutexLock lock(device.mutex);
    if (!device.idle_streams.empty()) {
      CudaStream stream = device.idle_streams.back();
      device.idle_streams.pop_back();
      return stream;
    }
  }
  CudaStream stream = nullptr;
  INFERD_RETURN_IF_ERROR(driver_.ToStatus(driver_.create_stream(&stream, kNonBlocking), "cuStreamCreate"));
  return stream;
}

void CudaDevices::ReturnStream(int32_t number, CudaStream stream) {
  Device& device = *devices_[number];
  base::MutexLock lock(device.mutex);
  device.idle_streams.push_back(stream);
}

base::Status CudaDevices::StartCopy(int32_t device, CudaStream stream, const inferd_memory& from,
                                    const inferd_memory& to) {
  if (from.size == 0) return base::OkStatus();
  if (!OnGpu(from) && !OnGpu(to)) {
    std::memcpy(const_cast<void*>(to.data), from.data, from.size);
    return base::OkStatus();
  }
  const OnDevice here(*this, device);
  INFERD_RETURN_IF_ERROR(here.status());
  if (!OnGpu(from) || !OnGpu(to) || from.device == to.device) {
    return driver_.ToStatus(driver_.copy(AddressOf(to.data), AddressOf(from.data), from.size, stream), "cuMemcpyAsync");
  }
  INFERD_ASSIGN_OR_RETURN(CudaContext from_context, ContextOf(from.device));
  INFERD_ASSIGN_OR_RETURN(CudaContext to_context, ContextOf(to.device));
  return driver_.ToStatus(
      driver_.copy_to_peer(AddressOf(to.data), to_context, AddressOf(from.data), from_context, from.size, stream),
      "cuMemcpyPeerAsync");
}

base::Status CudaDevices::AwaitCopies(int32_t device, CudaStream stream) {
  const OnDevice here(*this, device);
  INFERD_RETURN_IF_ERROR(here.status());
  return driver_.ToStatus(driver_.await_stream(stream), "cuStreamSynchronize");
}

base::Status CudaDevices::Copy(const inferd_memory& from, const inferd_memory& to) {
  const int32_t device = OnGpu(to) ? to.device : from.device;
  const bool of_cpu = !OnGpu(from) && !OnGpu(to);
  if (of_cpu || from.size == 0) return StartCopy(device, nullptr, from, to);
  INFERD_ASSIGN_OR_RETURN(CudaStream stream, TakeStream(device));
  base::Status status = StartCopy(device, stream, from, to);
  // Waits even after an error: the copy may have begun.
  const base::Status waited = AwaitCopies(device, stream);
  ReturnStream(device, stream);
  return status.ok() ? waited : status;
}

base::Result<inferd_memory> CudaDevices::OpenHandle(int32_t device, const CudaHandle& handle) {
  const OnDevice here(*this, device);
  INFERD_RETURN_IF_ERROR(here.status());
  CudaAddress address = 0;
  const base::Status opened =
      driver_.ToStatus(driver_.open_handle(&address, handle, kPeerAccess), "cuIpcOpenMemHandle");
  if (opened.code() == base::StatusCode::kInternal) return std::unexpected(base::InvalidArgument(opened.message()));
  INFERD_RETURN_IF_ERROR(opened);
  inferd_memory memory = {reinterpret_cast<void*>(address), 0, INFERD_MEMORY_GPU, device};
  CudaAddress base = 0;
  const base::Status found = driver_.ToStatus(driver_.find_range(&base, &memory.size, address), "cuMemGetAddressRange");
  if (found.ok()) return memory;
  driver_.close_handle(address);
  return std::unexpected(found);
}

void CudaDevices::CloseHandle(const inferd_memory& memory) {
  const OnDevice here(*this, memory.device);
  if (here.status().ok()) driver_.close_handle(AddressOf(memory.data));
}

}  // namespace inferd::kit
