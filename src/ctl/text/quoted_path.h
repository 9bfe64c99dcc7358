#pragma once

#include <filesystem>
#include <string>

#include "base/text/printable.h"

namespace inferd::ctl {

// Returns the path in single quotes for a message, in its printable form, cut at 1000 bytes.
inline std::string QuotedPath(const std::filesystem::path& path) {
  return "'" + base::Printable(path.string(), 1000) + "'";
}

}  // namespace inferd::ctl
