#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/status.h"
#include "config/model/model_config.h"
#include "serving/core/model/model_signature.h"

namespace inferd::repository {

// A version's tensors as clients see them, and which of the engine's each is.
struct VersionSignature {
  std::shared_ptr<const core::ModelSignature> signature;
  std::vector<int> engine_inputs;
  std::vector<int> engine_outputs;
};

// From the completed configuration: in its order, with a leading -1 if the model batches, and with the labels read from
// `model_dir`. The engine's inputs that the server makes (batch_input, controls of sequences) are none of the
// clients'. INVALID_ARGUMENT: a tensor that the engine does not know, or a label file that cannot be read.
base::Result<VersionSignature> MakeVersionSignature(const config::ModelConfig& config,
                                                    const core::ModelSignature& engine,
                                                    const std::filesystem::path& model_dir);

// The configuration of one of the version's other signatures, from that of the version, completed: the tensors are as
// the engine has them, and batched where they all lead with a dimension of any size and the configuration or the server
// says that the version batches: what executions have shown of the first signature says nothing of this one. What the
// configuration says of tensors by name is the first signature's.
config::ModelConfig OtherSignatureConfig(config::ModelConfig config, const core::ModelSignature& engine);

// One label per line; empty lines at the end do not count.
base::Result<std::vector<std::string>> ReadLabels(const std::filesystem::path& file);

}  // namespace inferd::repository
