#pragma once

#include <string>
#include <vector>

#include "data/manifest/value.h"
#include "kserve/apiserver/patch/field_set.h"

namespace inferd::apiserver {

// Which manager has set which fields of an object (Kubernetes: metadata.managedFields). A value.
class ManagedFields {
 public:
  // Those of an object; what is not understood is left out.
  static ManagedFields Of(const manifest::Value& object);
  // Writes them into the object's metadata.
  void WriteTo(manifest::Value& object) const;

  // `manager` has written `after` in place of `before` (Kubernetes: operation Update): what differs is its own now.
  void Update(const std::string& manager, const manifest::Value& before, const manifest::Value& after,
              const std::string& api_version, const std::string& time);

  // Whatever the times.
  bool SameFieldsAs(const ManagedFields& other) const;

  struct Conflict {
    std::string manager;
    std::string api_version;
    FieldPath field;
  };
  struct Applied {
    manifest::Value object;
    std::vector<Conflict> conflicts;  // not empty: nothing is to be changed
  };
  // Server-side apply: `live` with the fields of `wanted`, and without those that `manager` had applied before, wants
  // no more, and no other manager has. A field that another manager has, with another value, is a conflict, or with
  // `force` becomes the manager's own.
  Applied Apply(const std::string& manager, const manifest::Value& live, const manifest::Value& wanted,
                const std::string& api_version, const std::string& time, bool force);

 private:
  struct Entry {
    std::string manager;
    bool apply = false;
    std::string api_version;
    std::string time;
    FieldSet fields;
  };

  Entry& EntryOf(const std::string& manager, bool apply);
  void DropEmpty();
  bool OthersHave(const Entry& own, const FieldPath& field) const;

  std::vector<Entry> entries_;
};

}  // namespace inferd::apiserver
