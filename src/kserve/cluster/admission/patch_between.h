#pragma once

#include "data/manifest/value.h"

namespace inferd::cluster {

// The JSON patch (RFC 6902) that makes `after` of `before`: a list of operations, empty where they are equal.
//
//   {"a":1,"b":{"c":2}} and {"b":{"c":3},"d":4} are
//   [{"op":"remove","path":"/a"},{"op":"replace","path":"/b/c","value":3},{"op":"add","path":"/d","value":4}]
//
// Maps are compared by their members, lists by their items, and what a list has besides is appended; a list that gets
// shorter is replaced. As deep as the values are, which manifest::Limits bounds. Thread-safe.
manifest::Value PatchBetween(const manifest::Value& before, const manifest::Value& after);

}  // namespace inferd::cluster
