#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>

namespace inferd::apiserver {

// Names an object. `resource` is what it is one of, as "inferenceservices.serving.kserve.io"; the namespace of an
// object of the whole cluster is empty.
struct ObjectKey {
  std::string resource;
  std::string namespace_name;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
};

// An object as it was written once. Immutable.
struct StoredObject {
  ObjectKey key;
  int64_t revision = 0;  // of the write
  std::string json;
};
using ObjectPtr = std::shared_ptr<const StoredObject>;

// One write. Of an object that was removed, `object` is its last state, under the revision of its removal.
struct Change {
  enum class Type : uint8_t { kAdded, kModified, kDeleted };

  Type type = Type::kAdded;
  ObjectPtr object;
  ObjectPtr before;  // null: there was none
};

}  // namespace inferd::apiserver
