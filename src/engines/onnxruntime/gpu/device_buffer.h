#pragma once

#include <cstddef>
#include <utility>

#include "base/status.h"
#include "engines/kit/cuda/cuda_devices.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// GPU memory that keeps its address from execution to execution, and only grows. Not thread-safe.
class DeviceBuffer final {
 public:
  // `devices` must outlive it.
  DeviceBuffer(kit::CudaDevices* devices, int32_t gpu) : devices_(devices), gpu_(gpu) {}
  ~DeviceBuffer() { Release(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : devices_(other.devices_),
        gpu_(other.gpu_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;

  // Returns `bytes` of it. The content is lost if it has to grow. RESOURCE_EXHAUSTED if there is no room.
  base::Result<inferd_memory> Hold(size_t bytes);

  const void* data() const { return data_; }

 private:
  void Release();

  kit::CudaDevices* const devices_;
  const int32_t gpu_;
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace inferd::onnxruntime
