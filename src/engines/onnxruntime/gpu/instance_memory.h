#pragma once

#include <vector>

#include "base/status.h"
#include "engines/onnxruntime/gpu/device_buffer.h"
#include "engines/onnxruntime/library/ort.h"
#include "inferd/engine_abi.h"

namespace inferd::onnxruntime {

// An instance's memory on its GPU: for inputs from the server and, with CUDA graphs, for outputs. It also runs the
// copies from and to it, which are in flight together. Not thread-safe.
class InstanceMemory final {
 public:
  static base::Result<std::unique_ptr<InstanceMemory>> Create(int32_t gpu, size_t inputs, size_t outputs);
  ~InstanceMemory();
  InstanceMemory(const InstanceMemory&) = delete;
  InstanceMemory& operator=(const InstanceMemory&) = delete;

  int32_t gpu() const { return gpu_; }
  // Returns the library's description of the GPU's memory.
  const OrtMemoryInfo* info() const { return info_.get(); }

  // RESOURCE_EXHAUSTED if there is no room.
  base::Result<inferd_memory> HoldInput(size_t index, size_t bytes) { return Hold(inputs_[index], bytes); }
  base::Result<inferd_memory> HoldOutput(size_t index, size_t bytes) { return Hold(outputs_[index], bytes); }
  // Starts a copy. Both sides must stay unchanged until AwaitCopies() has returned, which waits for all copies.
  base::Status StartCopy(const inferd_memory& from, const inferd_memory& to);
  base::Status AwaitCopies();

  // Returns true if any tensor's address has changed since the last call.
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
  bool copies_ = false;  // true if some are in flight
};

}  // namespace inferd::onnxruntime
