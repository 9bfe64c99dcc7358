#pragma once

#include <string>
#include <string_view>

#include "data/manifest/fields.h"
#include "data/manifest/value.h"

namespace inferd::model {

using manifest::StringMap;

// Kubernetes: ObjectMeta, with only the fields that this room uses. Times are RFC 3339 in UTC, so they sort as text.
struct ObjectMeta {
  std::string name;
  std::string namespace_name;  // "default" if a namespaced object names none; empty if the object is cluster-wide
  StringMap labels;
  StringMap annotations;
  std::string creation_timestamp;  // empty before the object is created
  std::string uid;                 // empty before the object is created

  // Returns the annotation's value, or an empty text if the object does not have it.
  std::string_view annotation(const std::string& key) const;
};

// Reads the document's `metadata`. Problems: `metadata` or the name is missing, or Kubernetes refuses a name or a
// label.
ObjectMeta ReadObjectMeta(manifest::Fields& object, bool namespaced);

}  // namespace inferd::model
