#pragma once

// The generated message behind ModelConfigDocument. Only for sources of this room; no header includes it.

#include <google/protobuf/text_format.h>

#include <algorithm>
#include <memory>
#include <string>

#include "base/status.h"
#include "config/model/model_config.h"
#include "config/model/model_config_document.h"
#include "config/model_config.pb.h"

namespace inferd::config {

struct ModelConfigDocument::Message {
  inference::ModelConfig proto;
  std::string file;  // empty for a load call's
  // The place of each field; null if there is no text. Fields that completion adds have no place.
  std::shared_ptr<const google::protobuf::TextFormat::ParseInfoTree> places;
};

// Converts `message`, which becomes the result's document, to plain structs. Out-of-range values stay unchanged.
ModelConfig FromMessage(std::unique_ptr<const ModelConfigDocument::Message> message);

// Returns true if tensors can have that type: one of the enumeration, or the number of a tensor::DataType that the
// enumeration lacks. Models may have such types, but configurations cannot name them.
bool IsDataType(inference::DataType type);
// Returns "TYPE_FP32" and the like. Empty if it is not a type.
std::string DataTypeText(inference::DataType type);

// Returns a modifiable copy of config's document, or an empty one if it has none.
std::unique_ptr<ModelConfigDocument::Message> CopyMessage(const ModelConfig& config);

// Converts Triton's ModelVersionPolicy, or TensorFlow Serving's ServableVersionPolicy, from which it was made.
template <typename Message>
VersionPolicy ToVersionPolicy(const Message& from) {
  VersionPolicy to;
  if (from.has_all()) to.kind = VersionPolicyKind::kAll;
  if (from.has_latest()) to.latest = std::max(from.latest().num_versions(), 1u);
  if (from.has_specific()) {
    to.kind = VersionPolicyKind::kSpecific;
    to.specific.assign(from.specific().versions().begin(), from.specific().versions().end());
  }
  return to;
}

// Returns OK, or INVALID_ARGUMENT with one line per problem, the first ten. `place_last`: the line begins with what is
// wrong and ends with the place.
base::Status ToStatus(const std::vector<Problem>& problems, bool place_last = false);

}  // namespace inferd::config
