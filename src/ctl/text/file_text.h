#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "base/status.h"

namespace inferd::ctl {

// Returns all bytes of the file. NOT_FOUND if it cannot be opened.
inline base::Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(base::NotFound("cannot read the file '" + path + "'"));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace inferd::ctl
