#pragma once

#include <string>
#include <vector>

namespace inferd::config {

// Returns the names of an open archive's files, in the order of its directory, as far as its first MiB has them. Empty
// if it is not an archive, or is truncated.
std::vector<std::string> ReadZipNames(int file);

}  // namespace inferd::config
