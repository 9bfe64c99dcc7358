#include "engines/onnxruntime/gpu/instance_memory.h"

#include <utility>

#include "engines/kit/cuda/cuda_memory.h"

namespace inferd::onnxruntime {

base::Result<std::unique_ptr<InstanceMemory>> InstanceMemory::Create(int32_t gpu, size_t inputs, size_t outputs) {
  kit::CudaDevices* const devices = kit::FindCudaDevices();
  if (devices == nullptr) return std::unexpected(base::FailedPrecondition("there is no GPU"));
  OrtMemoryInfo* info = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().CreateMemoryInfo("Cuda", OrtDeviceAllocator, gpu, OrtMemTypeDefault, &info)));
  MemoryInfoOwner owner(info);
  INFERD_ASSIGN_OR_RETURN(kit::CudaStream stream, devices->TakeStream(gpu));
  std::unique_ptr<InstanceMemory> memory(new InstanceMemory(devices, gpu, stream, std::move(owner)));
  for (size_t i = 0; i < inputs; ++i) memory->inputs_.emplace_back(devices, gpu);
  for (size_t i = 0; i < outputs; ++i) memory->outputs_.emplace_back(devices, gpu);
  return memory;
}

InstanceMemory::~InstanceMemory() {
  static_cast<void>(AwaitCopies());
  devices_->ReturnStream(gpu_, stream_);
}

base::Status InstanceMemory::StartCopy(const inferd_memory& from, const inferd_memory& to) {
  copies_ = true;  // also for a failed copy, which may have begun
  return devices_->StartCopy(gpu_, stream_, from, to);
}

base::Status InstanceMemory::AwaitCopies() {
  return std::exchange(copies_, false) ? devices_->AwaitCopies(gpu_, stream_) : base::OkStatus();
}

base::Result<inferd_memory> InstanceMemory::Hold(DeviceBuffer& buffer, size_t bytes) {
  const void* const before = buffer.data();
  auto held = buffer.Hold(bytes);
  moved_ |= buffer.data() != before;
  return held;
}

}  // namespace inferd::onnxruntime
