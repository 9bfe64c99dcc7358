#pragma once

#include <string>
#include <vector>

namespace inferd::config {

// The names of an archive's files, as far as the first MiB of its directory has them, in its order. Takes the opened
// file. Empty: it is no archive, or cut off.
std::vector<std::string> ReadZipNames(int file);

}  // namespace inferd::config
