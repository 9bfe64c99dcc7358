#pragma once

#include <string>
#include <string_view>

namespace inferd::config {

// The path of a URI of this machine ("file:///models/m": RFC 8089, section 2); what is none stays as it is.
std::string LocalPath(std::string_view uri);

// "NAME=PATH" taken apart, where the path is absolute or a URI, so that a name may have '=' and '/' in it.
struct NamedPath {
  std::string name;  // empty: there is none
  std::string path;
};
NamedPath SplitNamedPath(std::string_view text);

}  // namespace inferd::config
