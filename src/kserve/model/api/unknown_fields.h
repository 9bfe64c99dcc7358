#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/model/api/object.h"

namespace inferd::model {

// A field that the object's kind does not define, and that would be dropped silently.
struct UnknownField {
  manifest::Position position{};
  std::string path;                       // "spec.predictor.model.storageURI"
  std::string name;                       // "storageURI"
  std::vector<std::string_view> known{};  // the names that are valid there
};

// Returns the fields that the definition (schema/definition.h) of KServe's object lacks, in document order. `status` is
// not checked. Thread-safe.
std::vector<UnknownField> FindUnknownFields(const Object& object);

}  // namespace inferd::model
