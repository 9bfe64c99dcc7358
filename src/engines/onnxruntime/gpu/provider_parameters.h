#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

// What a model's configuration says of the providers that compute on GPUs, in the names of Triton's ONNX Runtime
// backend, as the options that ONNX Runtime has for it.

namespace inferd::onnxruntime {

// Options by ONNX Runtime's names.
struct GpuProviders {
  std::map<std::string, std::string> cuda;
  std::map<std::string, std::string> tensorrt;
  bool use_tensorrt = false;  // before the CUDA provider, which takes what is left
  bool cuda_graphs = false;   // asked for by an option of a provider
};

// gpu_execution_accelerator { name parameters { key value } }, one parameter. INVALID_ARGUMENT: there is no such
// accelerator or parameter, or its value is not what it can be. PERMISSION_DENIED: it names a file, which is not for a
// model to say.
base::Status ApplyAccelerator(std::string_view name, GpuProviders* providers);
base::Status ApplyAcceleratorParameter(std::string_view name, std::string_view key, std::string_view value,
                                       GpuProviders* providers);

// The same from the server's command line, which may name files.
base::Status ApplyOperatorParameter(std::string_view name, std::string_view key, std::string_view value,
                                    GpuProviders* providers);

// FAILED_PRECONDITION: a model wants something kept in a file, and the command line names none.
base::Status CheckFiles(const GpuProviders& providers);

std::vector<std::string_view> AcceleratorNames();
// In the order of docs/onnx-models.md. Empty: there is no such accelerator.
std::vector<std::string_view> AcceleratorParameterNames(std::string_view name);

}  // namespace inferd::onnxruntime
