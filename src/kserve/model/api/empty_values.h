#pragma once

#include "data/manifest/value.h"

// Clients in Go write a struct that nobody has set as `{}`, and a list as `null`. Both mean what an absent field means:
// the defaults. Thread-safe.

namespace inferd::model {

// True if a struct says nothing: null, or a map with nothing but such members; or a list without items. Not for structs
// whose presence is what they say (`logger`, `emptyDir`).
bool IsUnset(const manifest::Value& value);

// Returns the value without members that are null, at any depth.
manifest::Value WithoutNulls(manifest::Value value);

}  // namespace inferd::model
