#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::agent {

// A wanted model, from a TrainedModel (KServe: ModelSpec).
struct PulledModel {
  std::string storage_uri;
  std::string framework;
  std::string memory;  // a Kubernetes quantity, unchanged

  bool operator==(const PulledModel&) const = default;
  // Returns the JSON text that the SUCCESS file contains.
  std::string ToJson() const;
};

using PulledModels = std::map<std::string, PulledModel>;  // by name

inline constexpr size_t kModelListBytesMax = 8 << 20;
inline constexpr size_t kPulledModelsMax = 10'000;

// Parses models.json: [{"modelName": "m", "modelSpec": {"storageUri": "s3://b/m", "framework": "onnx", "memory":
// "1G"}}]. Other members are ignored. INVALID_ARGUMENT, with the place, if the text is no such list; if a name is a
// duplicate or not valid as a folder ([a-zA-Z0-9], and inside also "._-"); if a model has no storageUri; if there are
// more than kPulledModelsMax models.
base::Result<PulledModels> ParseModelList(std::string_view json);

}  // namespace inferd::agent
