#pragma once

#include <string>

#include "base/status.h"
#include "engines/onnxruntime/gpu/provider_parameters.h"
#include "engines/onnxruntime/library/ort.h"

namespace inferd::onnxruntime {

// Why ONNX Runtime's library has no provider for GPUs; empty: it has one.
std::string WhyNoCudaProvider();
// The same for TensorRT's.
std::string WhyNoTensorRtProvider();

// Has a session of these options compute on a GPU: by TensorRT, if that is asked for, and by CUDA; what neither can,
// the CPU computes. `graphs`: executions are CUDA graphs. FAILED_PRECONDITION: a library that a provider needs is
// missing; the message names it.
base::Status AppendGpuProviders(const GpuProviders& providers, int32_t gpu, bool graphs, OrtSessionOptions* options);

}  // namespace inferd::onnxruntime
