#pragma once

#include <string>

#include "base/status.h"
#include "engines/onnxruntime/gpu/provider_parameters.h"
#include "engines/onnxruntime/library/ort.h"

namespace inferd::onnxruntime {

// Returns why ONNX Runtime's library has no provider for GPUs. Empty if it has one.
std::string WhyNoCudaProvider();
// Does the same for TensorRT's provider.
std::string WhyNoTensorRtProvider();

// Makes a session with these options compute on a GPU: by TensorRT, if requested, and by CUDA; the CPU computes the
// rest. `graphs`: executions are CUDA graphs. FAILED_PRECONDITION, with its name, if a library that a provider needs is
// missing.
base::Status AppendGpuProviders(const GpuProviders& providers, int32_t gpu, bool graphs, OrtSessionOptions* options);

}  // namespace inferd::onnxruntime
