#include "base/version/version.h"

#include "version_text.h"  // made by the build: cmake/WriteVersion.cmake

namespace inferd::base {

std::string_view BuildVersion() { return kVersionText; }

}  // namespace inferd::base
