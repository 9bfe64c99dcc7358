#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

// Converts a model's settings for GPU providers, with the names of Triton's ONNX Runtime backend, to ONNX Runtime's
// options.

namespace inferd::onnxruntime {

// Options by ONNX Runtime's names.
struct GpuProviders {
  std::map<std::string, std::string> cuda;
  std::map<std::string, std::string> tensorrt;
  bool use_tensorrt = false;  // before the CUDA provider, which takes the rest
  bool cuda_graphs = false;   // requested by an option of a provider
};

// Reads one parameter of gpu_execution_accelerator { name parameters { key value } }. INVALID_ARGUMENT if there is no
// such accelerator or parameter, or its value is invalid. PERMISSION_DENIED if it names a file, which a model must not
// do.
base::Status ApplyAccelerator(std::string_view name, GpuProviders* providers);
base::Status ApplyAcceleratorParameter(std::string_view name, std::string_view key, std::string_view value,
                                       GpuProviders* providers);

// Does the same for the server's command line, which may name files.
base::Status ApplyOperatorParameter(std::string_view name, std::string_view key, std::string_view value,
                                    GpuProviders* providers);

// FAILED_PRECONDITION if a model wants to cache something in a file, and the command line names none.
base::Status CheckFiles(const GpuProviders& providers);

std::vector<std::string_view> AcceleratorNames();
// Returns the names in the order of docs/onnx-models.md. Empty if there is no such accelerator.
std::vector<std::string_view> AcceleratorParameterNames(std::string_view name);

}  // namespace inferd::onnxruntime
