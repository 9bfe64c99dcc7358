#pragma once

#include <string>

#include "base/status.h"

namespace inferd::storage {

// Returns a file's digest by "MD5", "SHA256" or "SHA512", in lower-case hexadecimal digits. Reads the whole file, piece
// by piece. NOT_FOUND if there is none. INVALID_ARGUMENT if it is not a regular file. UNAVAILABLE if the system's
// cryptographic library lacks the algorithm.
base::Result<std::string> FileDigest(const std::string& path, const std::string& algorithm);

}  // namespace inferd::storage
