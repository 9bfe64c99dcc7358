#pragma once

#include <string_view>

#include "data/manifest/fields.h"

namespace inferd::model {

// Checks that every field in an object's `spec` has the type that its kind defines (schema/definition.h), as the API
// server does where its definitions are complete. Each wrong field is added as a problem: "spec.predictor.model.stdin:
// must be true or false, not a string". Fields that already have a problem are skipped. An object without a spec, or of
// an unknown kind, adds no problem. Thread-safe.
void CheckFieldTypes(std::string_view kind, manifest::Fields& object);

}  // namespace inferd::model
