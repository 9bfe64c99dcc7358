#pragma once

#include <string_view>

#include "data/manifest/fields.h"

namespace inferd::model {

// Has every field of an object's `spec` be of the type that its kind gives it (schema/definition.h), as the API server
// does where its definitions are complete: "spec.predictor.model.stdin: must be true or false, not a string". Fields
// that a problem was found with before are passed over. An object without a spec, or of an unknown kind, has none.
// Thread-safe.
void CheckFieldTypes(std::string_view kind, manifest::Fields& object);

}  // namespace inferd::model
