#pragma once

#include "data/manifest/value.h"

// Empty values in documents. Go clients write an unset struct as `{}` and an unset list as `null`. Both mean the same
// as an absent field: the default applies. Thread-safe.

namespace inferd::model {

// Returns true if the value is unset: null, an empty list, or a map whose members are all unset. Do not call it for
// structs whose mere presence is a setting (`logger`, `emptyDir`).
bool IsUnset(const manifest::Value& value);

// Returns the value without members that are null, at any depth.
manifest::Value WithoutNulls(manifest::Value value);

}  // namespace inferd::model
