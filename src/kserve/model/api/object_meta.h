#pragma once

#include <string>
#include <string_view>

#include "data/manifest/fields.h"
#include "data/manifest/value.h"

namespace inferd::model {

using manifest::StringMap;

// Kubernetes: ObjectMeta, of what this room decides by. Times are RFC 3339 in UTC, so that they sort as texts.
struct ObjectMeta {
  std::string name;
  std::string namespace_name;  // "default" where an object of a namespace has none; empty for a cluster's objects
  StringMap labels;
  StringMap annotations;
  std::string creation_timestamp;  // empty: not yet created
  std::string uid;                 // likewise

  // The annotation's value; empty if there is none.
  std::string_view annotation(const std::string& key) const;
};

// The document's `metadata`. Problems: none there, no name, names and labels that Kubernetes refuses.
ObjectMeta ReadObjectMeta(manifest::Fields& object, bool namespaced);

}  // namespace inferd::model
