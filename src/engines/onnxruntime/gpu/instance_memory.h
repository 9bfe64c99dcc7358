#pragma once

#include <vector>

#include "base/status.h"
#include "engines/onnxruntime/gpu/device_buffer.h"
#include "engines/onnxruntime/library/ort.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// An instance's memory on its GPU: where the server puts inputs, and, for CUDA graphs, where outputs are computed. Not
// thread-safe.
class InstanceMemory final {
 public:
  static base::Result<std::unique_ptr<InstanceMemory>> Create(int32_t gpu, size_t inputs, size_t outputs);

  int32_t gpu() const { return gpu_; }
  // What the library calls the GPU's memory.
  const OrtMemoryInfo* info() const { return info_.get(); }

  // RESOURCE_EXHAUSTED: there is no room.
  base::Result<inferd_memory> HoldInput(size_t index, size_t bytes) { return Hold(inputs_[index], bytes); }
  base::Result<inferd_memory> HoldOutput(size_t index, size_t bytes) { return Hold(outputs_[index], bytes); }
  base::Status Copy(const inferd_memory& from, const inferd_memory& to) { return devices_->Copy(from, to); }

  // Whether anything has got another address since this was asked.
  bool TakeMoved() { return std::exchange(moved_, false); }

 private:
  InstanceMemory(enginekit::CudaDevices* devices, int32_t gpu, MemoryInfoOwner info)
      : devices_(devices), gpu_(gpu), info_(std::move(info)) {}
  base::Result<inferd_memory> Hold(DeviceBuffer& buffer, size_t bytes);

  enginekit::CudaDevices* const devices_;
  const int32_t gpu_;
  MemoryInfoOwner info_;
  std::vector<DeviceBuffer> inputs_;
  std::vector<DeviceBuffer> outputs_;
  bool moved_ = false;
};

}  // namespace inferd::onnxruntime
