#pragma once

#include <set>
#include <string>
#include <vector>

#include "kserve/apiserver/objects/registry.h"
#include "kserve/local/state/revision_record.h"

namespace inferd::local {

// The recorded revisions of components, stored as objects of the cluster. A component continues with them after a
// restart of this program. They are deleted with their services. Not thread-safe. The registry must outlive it.
class RevisionRecords final {
 public:
  explicit RevisionRecords(apiserver::Registry& registry) : registry_(registry) {}

  void Save(const RevisionRecord& record);
  void Remove(const std::string& namespace_name, const std::string& name);
  // Returns a component's records for the service with that uid, the oldest first: those of `names`, and those with the
  // numbers that follow the last of them, which the status may not name yet.
  std::vector<RevisionRecord> Of(const std::string& namespace_name, const std::string& component,
                                 const std::string& service_uid, const std::set<std::string>& names) const;

 private:
  apiserver::Registry& registry_;
};

}  // namespace inferd::local
