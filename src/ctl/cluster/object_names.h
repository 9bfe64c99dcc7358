#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/cluster/cluster_api.h"
#include "ctl/cluster/cluster_commands.h"

namespace inferd::ctl {

// Objects named on a command line: all of a resource, or those with the names.
struct NamedObjects {
  ApiResource resource;
  std::vector<std::string> names;

  // Returns the path of an object, or of the collection if `name` is empty.
  std::string Path(const ObjectArguments& arguments, const std::string& name) const;
};

// Parses "isvc a b" or "isvc/a isvc/b". INVALID_ARGUMENT if it is neither, or if there is no such resource.
base::Result<NamedObjects> ResolveObjects(ClusterApi& api, const ObjectArguments& arguments);

}  // namespace inferd::ctl
