#include "ctl/cluster/object_names.h"

#include "base/text/percent.h"

namespace inferd::ctl {

std::string NamedObjects::Path(const ObjectArguments& arguments, const std::string& name) const {
  std::string path = resource.Path(arguments.all_namespaces ? "" : arguments.namespace_name, name);
  if (name.empty() && !arguments.selector.empty()) path += "?labelSelector=" + base::PercentEncoded(arguments.selector);
  return path;
}

base::Result<NamedObjects> ResolveObjects(ClusterApi& api, const ObjectArguments& arguments) {
  if (arguments.words.empty()) return std::unexpected(base::InvalidArgument("You must specify the type of resource"));
  const std::string& first = arguments.words.front();
  const size_t slash = first.find('/');
  NamedObjects objects;
  INFERD_ASSIGN_OR_RETURN(objects.resource, api.FindResource(first.substr(0, slash)));
  if (slash == std::string::npos) {
    objects.names.assign(arguments.words.begin() + 1, arguments.words.end());
    return objects;
  }
  for (const std::string& word : arguments.words) {
    if (!word.starts_with(first.substr(0, slash + 1)) || word.size() == slash + 1) {
      return std::unexpected(base::InvalidArgument("'" + word + "' must be TYPE/NAME, of one type"));
    }
    objects.names.push_back(word.substr(slash + 1));
  }
  return objects;
}

}  // namespace inferd::ctl
