#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/object.h"

namespace inferd::model {

// A field that the object's kind does not have, and that would be dropped without a word.
struct UnknownField {
  manifest::Position position{};
  std::string path;                       // "spec.predictor.model.storageURI"
  std::string name;                       // "storageURI"
  std::vector<std::string_view> known{};  // the names that there are in its place
};

// The fields of an object of KServe's that its definition (schema/definition.h) does not have, in the order of the
// document. What stands in `status` is not looked at. Thread-safe.
std::vector<UnknownField> FindUnknownFields(const Object& object);

}  // namespace inferd::model
