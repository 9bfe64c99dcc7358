#pragma once

#include <string_view>

namespace inferd::base {

// The version of this build, as metadata, the metric inferd_build_info and --version say it: "0.1.0" where it was built
// from the tag v0.1.0 or outside of a git checkout, "0.1.0+g1a2b3c4d5" where it was built from another commit
// (Semantic Versioning 2.0.0, section 10).
std::string_view BuildVersion();

}  // namespace inferd::base
