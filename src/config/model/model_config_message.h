#pragma once

// The generated message behind ModelConfigDocument. For the sources of this room that need it; no header includes it.

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
  std::string file;  // empty: a load call's
  // Where each field was written; null: nowhere. Fields added by completion have no place in it.
  std::shared_ptr<const google::protobuf::TextFormat::ParseInfoTree> places;
};

// The plain structs of `message`, which becomes the result's document. Values out of range are left as they are.
ModelConfig FromMessage(std::unique_ptr<const ModelConfigDocument::Message> message);

// Whether tensors can be of that type: one that the enumeration has, or, by its number, one of tensor::DataType that it
// lacks, which models bring and no configuration names.
bool IsDataType(inference::DataType type);
// "TYPE_FP32". Empty: no type.
std::string DataTypeText(inference::DataType type);

// A copy of config's document to change; an empty one if it has none.
std::unique_ptr<ModelConfigDocument::Message> CopyMessage(const ModelConfig& config);

// Of Triton's ModelVersionPolicy, or of TensorFlow Serving's ServableVersionPolicy, which it was made from.
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

// OK, or INVALID_ARGUMENT with one line per problem, the first ten.
base::Status ToStatus(const std::vector<Problem>& problems);

}  // namespace inferd::config
