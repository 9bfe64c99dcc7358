#pragma once

#include <string>
#include <string_view>

namespace inferd::config {

// Returns the path of a local URI ("file:///models/m": RFC 8089, section 2). Other texts are returned unchanged.
std::string LocalPath(std::string_view uri);

// The parts of "NAME=PATH". The path is absolute or a URI, so that the name may contain '=' and '/'.
struct NamedPath {
  std::string name;  // empty if there is none
  std::string path;
};
NamedPath SplitNamedPath(std::string_view text);

}  // namespace inferd::config
