#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/cuda/cuda_driver.h"
#include "inferd/engine_abi.h"

namespace inferd::kit {

// The memory of NVIDIA's GPUs, as inferd_device_memory has it. Copies of several threads run side by side, each on a
// stream of its own, and wait for no kernel of anything else. Thread-safe; lives as long as the process.
class CudaDevices final {
 public:
  explicit CudaDevices(const CudaDriver& driver);
  CudaDevices(const CudaDevices&) = delete;
  CudaDevices& operator=(const CudaDevices&) = delete;

  int count() const { return driver_.device_count; }

  // GPU memory, or memory of the CPU that GPUs copy from faster (INFERD_MEMORY_CPU_PINNED). RESOURCE_EXHAUSTED: there
  // is no room. INVALID_ARGUMENT: there is no such device or kind.
  base::Result<void*> Allocate(int32_t kind, int32_t device, size_t bytes);
  void Release(int32_t kind, int32_t device, void* data);

  // from.size bytes; either side may be memory of the CPU. Done when it returns.
  base::Status Copy(const inferd_memory& from, const inferd_memory& to);

  // A stream of the device for copies, which no other call gets until it is given back.
  base::Result<CudaStream> TakeStream(int32_t device);
  // No copy is under way on it.
  void ReturnStream(int32_t device, CudaStream stream);
  // As Copy(), done when the device has come to it, at the latest when AwaitCopies() returns: memory of the CPU that is
  // not pinned may be read before this returns. Until then both sides stay as they are, also after an error, which does
  // not say that nothing has begun.
  base::Status StartCopy(int32_t device, CudaStream stream, const inferd_memory& from, const inferd_memory& to);
  base::Status AwaitCopies(int32_t device, CudaStream stream);

  // Memory of another process on the device, all of it, until CloseHandle(). INVALID_ARGUMENT: the driver does not take
  // the handle, which a client has sent.
  base::Result<inferd_memory> OpenHandle(int32_t device, const CudaHandle& handle);
  void CloseHandle(const inferd_memory& memory);

 private:
  struct Device {
    base::Mutex mutex;
    CudaContext context GUARDED_BY(mutex) = nullptr;  // made when the device is first used
    std::vector<CudaStream> idle_streams GUARDED_BY(mutex);
  };
  class OnDevice;

  base::Result<CudaContext> ContextOf(int32_t device);
  bool Has(int32_t device) const { return device >= 0 && device < driver_.device_count; }

  const CudaDriver driver_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace inferd::kit
