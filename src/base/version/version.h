#pragma once

#include <string_view>

namespace inferd::base {

// Returns the version of this build, as used in metadata, the metric inferd_build_info and --version. It is "0.1.0" if
// built from the tag v0.1.0 or outside of a git checkout, and "0.1.0+g1a2b3c4d5" if built from another commit (Semantic
// Versioning 2.0.0, section 10).
std::string_view BuildVersion();

}  // namespace inferd::base
