#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::agent {

// A model that is to be there, as a TrainedModel says (KServe: ModelSpec).
struct PulledModel {
  std::string storage_uri;
  std::string framework;
  std::string memory;  // a quantity of Kubernetes, as it is written

  bool operator==(const PulledModel&) const = default;
  // As JSON, as the file of a success has it.
  std::string ToJson() const;
};

using PulledModels = std::map<std::string, PulledModel>;  // by name

inline constexpr size_t kModelListBytesMax = 8 << 20;
inline constexpr size_t kPulledModelsMax = 10'000;

// Reads models.json: [{"modelName": "m", "modelSpec": {"storageUri": "s3://b/m", "framework": "onnx", "memory":
// "1G"}}]. What else an object has is left out of account. INVALID_ARGUMENT, where: it is no such list; a name is none
// ([a-zA-Z0-9] and inside it "._-" too, so that it can be a folder), or is there twice; a model has no storageUri; more
// than kPulledModelsMax.
base::Result<PulledModels> ParseModelList(std::string_view json);

}  // namespace inferd::agent
