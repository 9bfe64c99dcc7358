#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/cluster/cluster_api.h"
#include "ctl/cluster/cluster_commands.h"

namespace inferd::ctl {

// Objects that a command line means: all of a resource, or those of the names.
struct NamedObjects {
  ApiResource resource;
  std::vector<std::string> names;

  // Of an object, or of the collection (empty).
  std::string Path(const ObjectArguments& arguments, const std::string& name) const;
};

// "isvc a b", "isvc/a isvc/b". INVALID_ARGUMENT: neither, or no such resource.
base::Result<NamedObjects> ResolveObjects(ClusterApi& api, const ObjectArguments& arguments);

}  // namespace inferd::ctl
