#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

namespace inferd::apiserver {

// The name of an object. `resource` is for example "inferenceservices.serving.kserve.io". The namespace of a
// cluster-wide object is empty.
struct ObjectKey {
  std::string resource;
  std::string namespace_name;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
};

// An object as it was once written. Immutable.
struct StoredObject {
  ObjectKey key;
  int64_t revision = 0;  // of the write
  std::string json;
};
using ObjectPtr = std::shared_ptr<const StoredObject>;

// One write. For a removed object, `object` is its last state, with the revision of the removal.
struct Change {
  enum class Type : uint8_t { kAdded, kModified, kDeleted };

  Type type = Type::kAdded;
  ObjectPtr object;
  ObjectPtr before;  // null if there was none
};

}  // namespace inferd::apiserver
