#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/apiserver/patch/field_set.h"

namespace inferd::apiserver {

// Who writes fields: the identity, but for the API version and the time, that an entry of metadata.managedFields has.
struct FieldWriter {
  std::string manager = {};
  std::string api_version = {};
  std::string time = {};
  std::string subresource = {};  // "status", or empty: of everything but the status
};

// The managers of an object's fields (Kubernetes: metadata.managedFields). As in Kubernetes, a name has one entry for
// what it applies and another for what it updates, and these are different managers. A value.
class ManagedFields {
 public:
  // Reads them from an object. Leaves out entries that are not understood.
  static ManagedFields Of(const manifest::Value& object);
  // Writes them into the object's metadata.
  void WriteTo(manifest::Value& object) const;

  // Records that `writer` has put `after` in place of `before` by another way than Apply() (Kubernetes: operation
  // Update). It becomes the only manager of the fields that differ. Updates of a status are not recorded; they only
  // take fields from who applied them.
  void Update(const FieldWriter& writer, const manifest::Value& before, const manifest::Value& after);

  // Compares everything but the times.
  bool SameFieldsAs(const ManagedFields& other) const;

  struct Conflict {
    std::string manager;
    std::string api_version;
    FieldPath field;
  };
  struct Applied {
    manifest::Value object;
    std::vector<Conflict> conflicts;  // not empty: the caller must drop the object, and this ManagedFields
  };
  // Server-side apply. Returns `live` with the fields of `wanted`, and without the fields that `writer` applied before,
  // leaves out now, and no other manager has. The writer manages all fields of `wanted` afterwards, also those that it
  // changes. Changing a field that another manager has is a conflict; with `force` that manager loses the field.
  // `wanted` has no nulls in its maps.
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
