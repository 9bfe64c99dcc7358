#pragma once

#include <set>
#include <string>
#include <vector>

#include "kserve/apiserver/objects/registry.h"
#include "kserve/local/state/revision_record.h"

namespace inferd::local {

// The revisions of components, as objects of the cluster: what a component goes on with after this program's end. They
// are deleted with their services. Not thread-safe; the registry outlives it.
class RevisionRecords final {
 public:
  explicit RevisionRecords(apiserver::Registry& registry) : registry_(registry) {}

  void Save(const RevisionRecord& record);
  void Remove(const std::string& namespace_name, const std::string& name);
  // Those of `names`, and of the numbers that follow on the last of them (what a status may not name yet), of a
  // component of a service with that uid; the oldest first.
  std::vector<RevisionRecord> Of(const std::string& namespace_name, const std::string& component,
                                 const std::string& service_uid, const std::set<std::string>& names) const;

 private:
  apiserver::Registry& registry_;
};

}  // namespace inferd::local
