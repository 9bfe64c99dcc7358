#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

// What tests ask the stand-in for ONNX Runtime's package for GPUs; it exports
//
//   OnnxRuntimeStandIn* inferd_onnxruntime_stand_in();
struct OnnxRuntimeStandIn {
  std::mutex mutex;
  std::vector<std::string> appended;        // a line for each provider of a session: "cuda device_id=1 use_tf32=0"
  std::atomic<bool> misses_library{false};  // providers do not start
  std::atomic<int> recorded{0};             // CUDA graphs
  std::atomic<int> replayed{0};
  std::atomic<int> plans{0};          // sessions of TensorRT plans
  std::atomic<int> device_inputs{0};  // tensors that were made of a device's memory
};

using OnnxRuntimeStandInFunction = OnnxRuntimeStandIn*();
