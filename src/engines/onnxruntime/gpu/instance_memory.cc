#include "engines/onnxruntime/gpu/instance_memory.h"

#include "enginekit/cuda/cuda_memory.h"

namespace inferd::onnxruntime {

base::Result<std::unique_ptr<InstanceMemory>> InstanceMemory::Create(int32_t gpu, size_t inputs, size_t outputs) {
  enginekit::CudaDevices* const devices = enginekit::FindCudaDevices();
  if (devices == nullptr) return std::unexpected(base::FailedPrecondition("there is no GPU"));
  OrtMemoryInfo* info = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateMemoryInfo("Cuda", OrtDeviceAllocator, gpu, OrtMemTypeDefault, &info)));
  std::unique_ptr<InstanceMemory> memory(new InstanceMemory(devices, gpu, MemoryInfoOwner(info)));
  for (size_t i = 0; i < inputs; ++i) memory->inputs_.emplace_back(devices, gpu);
  for (size_t i = 0; i < outputs; ++i) memory->outputs_.emplace_back(devices, gpu);
  return memory;
}

base::Result<inferd_memory> InstanceMemory::Hold(DeviceBuffer& buffer, size_t bytes) {
  const void* const before = buffer.data();
  auto held = buffer.Hold(bytes);
  moved_ |= buffer.data() != before;
  return held;
}

}  // namespace inferd::onnxruntime
