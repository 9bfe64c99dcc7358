#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "engines/kit/cuda/cuda_driver.h"
#include "inferd/engine_abi.h"

namespace inferd::kit {

// The memory of NVIDIA's GPUs for inferd_device_memory. Copies of several threads run in parallel, each on a stream of
// its own, and do not wait for any kernel. Thread-safe; lives as long as the process.
class CudaDevices final {
 public:
  explicit CudaDevices(const CudaDriver& driver);
  CudaDevices(const CudaDevices&) = delete;
  CudaDevices& operator=(const CudaDevices&) = delete;

  int count() const { return driver_.device_count; }

  // Allocates GPU memory, or CPU memory that GPUs copy faster (INFERD_MEMORY_CPU_PINNED). RESOURCE_EXHAUSTED if there
  // is no room. INVALID_ARGUMENT if there is no such device or kind.
  base::Result<void*> Allocate(int32_t kind, int32_t device, size_t bytes);
  void Release(int32_t kind, int32_t device, void* data);

  // Copies from.size bytes; either side may be CPU memory. The copy is complete on return.
  base::Status Copy(const inferd_memory& from, const inferd_memory& to);

  // Returns a stream of the device for copies, for exclusive use until it is given back.
  base::Result<CudaStream> TakeStream(int32_t device);
  // No copy may be in flight on the stream.
  void ReturnStream(int32_t device, CudaStream stream);
  // Does the same asynchronously: the copy is complete when AwaitCopies() returns at the latest. CPU memory that is not
  // pinned may be read before this returns. Until AwaitCopies() returns, both sides must stay unchanged, also after an
  // error, which does not mean that nothing has begun.
  base::Status StartCopy(int32_t device, CudaStream stream, const inferd_memory& from, const inferd_memory& to);
  base::Status AwaitCopies(int32_t device, CudaStream stream);

  // Opens another process's memory on the device, all of it, until CloseHandle(). INVALID_ARGUMENT if the driver
  // refuses the handle, which comes from a client.
  base::Result<inferd_memory> OpenHandle(int32_t device, const CudaHandle& handle);
  void CloseHandle(const inferd_memory& memory);

 private:
  struct Device {
    base::Mutex mutex;
    CudaContext context GUARDED_BY(mutex) = nullptr;  // made at the first use of the device
    std::vector<CudaStream> idle_streams GUARDED_BY(mutex);
  };
  class OnDevice;

  base::Result<CudaContext> ContextOf(int32_t device);
  bool Has(int32_t device) const { return device >= 0 && device < driver_.device_count; }

  const CudaDriver driver_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace inferd::kit
