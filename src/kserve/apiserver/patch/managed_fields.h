#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/apiserver/patch/field_set.h"

namespace inferd::apiserver {

// The identity of a field manager, as in an entry of metadata.managedFields, with the API version and the time of its
// write.
struct FieldWriter {
  std::string manager = {};
  std::string api_version = {};
  std::string time = {};
  std::string subresource = {};  // "status", or empty for everything but the status
};

// The managers of an object's fields (Kubernetes: metadata.managedFields). As in Kubernetes, a name has separate
// entries for its applied and its updated fields. These count as different managers. A value.
class ManagedFields {
 public:
  // Reads the managers of an object. Leaves out entries that cannot be parsed.
  static ManagedFields Of(const manifest::Value& object);
  // Writes the managers into the object's metadata.
  void WriteTo(manifest::Value& object) const;

  // Records that `writer` has replaced `before` by `after` without Apply() (Kubernetes: operation Update). The writer
  // becomes the only manager of the fields that differ. Updates of a status are not recorded. They only take fields
  // from managers that applied them.
  void Update(const FieldWriter& writer, const manifest::Value& before, const manifest::Value& after);

  // Compares everything except the times.
  bool SameFieldsAs(const ManagedFields& other) const;

  struct Conflict {
    std::string manager;
    std::string api_version;
    FieldPath field;
  };
  struct Applied {
    manifest::Value object;
    std::vector<Conflict> conflicts;  // if not empty, the caller must drop the object and this ManagedFields
  };
  // Applies `wanted` (server-side apply). Returns `live` with the fields of `wanted`. Fields that `writer` applied
  // before and leaves out now are removed, unless another manager has them. Afterwards the writer manages all fields of
  // `wanted`. Changing a field of another manager is a conflict. With `force`, that manager loses the field. `wanted`
  // must not have nulls in its maps.
  Applied Apply(const FieldWriter& writer, const manifest::Value& live, const manifest::Value& wanted, bool force);

 private:
  struct Entry {
    std::string manager;
    bool apply = false;
    std::string api_version;
    std::string time;
    std::string subresource;
    FieldSet fields;
  };

  Entry& EntryOf(const FieldWriter& writer, bool apply);
  void DropEmpty();
  FieldSet FieldsOfOthers(const Entry& own) const;

  std::vector<Entry> entries_;
};

}  // namespace inferd::apiserver
