#pragma once

#include "data/manifest/value.h"

namespace inferd::cluster {

// Computes the JSON patch (RFC 6902) that turns `before` into `after`: a list of operations, empty if they are equal.
//
//   {"a":1,"b":{"c":2}} and {"b":{"c":3},"d":4} are
//   [{"op":"remove","path":"/a"},{"op":"replace","path":"/b/c","value":3},{"op":"add","path":"/d","value":4}]
//
// Maps are compared member by member, and lists item by item. Additional list items are appended; a list that becomes
// shorter is replaced. The recursion is as deep as the values, which manifest::Limits bounds. Thread-safe.
manifest::Value PatchBetween(const manifest::Value& before, const manifest::Value& after);

}  // namespace inferd::cluster
