#include "engines/onnxruntime/gpu/device_buffer.h"

#include <bit>

namespace inferd::onnxruntime {

namespace {

constexpr size_t kDoubledMax = size_t{64} << 20;  // larger buffers get exactly what they need

}  // namespace

base::Result<inferd_memory> DeviceBuffer::Hold(size_t bytes) {
  if (data_ == nullptr || bytes > size_) {
    Release();
    const size_t size = bytes < kDoubledMax ? std::bit_ceil(std::max<size_t>(bytes, 1)) : bytes;
    INFERD_ASSIGN_OR_RETURN(data_, devices_->Allocate(INFERD_MEMORY_GPU, gpu_, size));
    size_ = size;
  }
  return inferd_memory{data_, bytes, INFERD_MEMORY_GPU, gpu_};
}

void DeviceBuffer::Release() {
  if (data_ == nullptr) return;
  devices_->Release(INFERD_MEMORY_GPU, gpu_, std::exchange(data_, nullptr));
  size_ = 0;
}

}  // namespace inferd::onnxruntime
