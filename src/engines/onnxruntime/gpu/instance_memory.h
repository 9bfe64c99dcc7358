#pragma once

#include <vector>

#include "base/status.h"
#include "engines/onnxruntime/gpu/device_buffer.h"
#include "engines/onnxruntime/library/ort.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// An instance's memory on its GPU: where the server puts inputs, and, for CUDA graphs, where outputs are computed; and
// the copies from there and to it, which are under way together. Not thread-safe.
class InstanceMemory final {
 public:
  static base::Result<std::unique_ptr<InstanceMemory>> Create(int32_t gpu, size_t inputs, size_t outputs);
  ~InstanceMemory();
  InstanceMemory(const InstanceMemory&) = delete;
  InstanceMemory& operator=(const InstanceMemory&) = delete;

  int32_t gpu() const { return gpu_; }
  // What the library calls the GPU's memory.
  const OrtMemoryInfo* info() const { return info_.get(); }

  // RESOURCE_EXHAUSTED: there is no room.
  base::Result<inferd_memory> HoldInput(size_t index, size_t bytes) { return Hold(inputs_[index], bytes); }
  base::Result<inferd_memory> HoldOutput(size_t index, size_t bytes) { return Hold(outputs_[index], bytes); }
  // Both sides stay as they are until AwaitCopies() has returned, which waits for all of them.
  base::Status StartCopy(const inferd_memory& from, const inferd_memory& to);
  base::Status AwaitCopies();

  // Whether anything has got another address since this was asked.
  bool TakeMoved() { return std::exchange(moved_, false); }

 private:
  InstanceMemory(kit::CudaDevices* devices, int32_t gpu, kit::CudaStream stream, MemoryInfoOwner info)
      : devices_(devices), gpu_(gpu), stream_(stream), info_(std::move(info)) {}
  base::Result<inferd_memory> Hold(DeviceBuffer& buffer, size_t bytes);

  kit::CudaDevices* const devices_;
  const int32_t gpu_;
  kit::CudaStream const stream_;
  MemoryInfoOwner info_;
  std::vector<DeviceBuffer> inputs_;
  std::vector<DeviceBuffer> outputs_;
  bool moved_ = false;
  bool copies_ = false;  // some are under way
};

}  // namespace inferd::onnxruntime
