#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"

namespace inferd::repository {

// A version's tensors as clients see them, and the index of each in the engine's signature.
struct VersionSignature {
  std::shared_ptr<const core::ModelSignature> signature;
  std::vector<int> engine_inputs;
  std::vector<int> engine_outputs;
};

// Makes the signature from the completed configuration: in its order, with a leading -1 if the model batches, and with
// the labels read from `model_dir`. Leaves out the engine's inputs that the server makes (batch_input, controls of
// sequences). INVALID_ARGUMENT if the engine does not know a tensor, or a label file cannot be read.
base::Result<VersionSignature> MakeVersionSignature(const config::ModelConfig& config,
                                                    const core::ModelSignature& engine,
                                                    const std::filesystem::path& model_dir);

// Makes the configuration of another signature of the version from the version's completed one. Tensors are as the
// engine states them. The signature batches if all its tensors begin with a dimension of any size, and the
// configuration or the server says that the version batches. A probe of the first signature does not count here.
// Settings of single tensors, by name, are left out: they belong to the first signature.
config::ModelConfig OtherSignatureConfig(config::ModelConfig config, const core::ModelSignature& engine);

// Reads a label file: one label per line. Empty lines at the end do not count.
base::Result<std::vector<std::string>> ReadLabels(const std::filesystem::path& file);

}  // namespace inferd::repository
