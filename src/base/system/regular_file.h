#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::base {

// Opens a file for reading, following links, and never blocks. NOT_FOUND if there is none. INVALID_ARGUMENT if it is
// not a regular file (but a folder, a pipe, a device or a socket), or cannot be opened.
Result<FileDescriptor> OpenRegularFile(const std::string& path);

// Returns the file's content. Errors are OpenRegularFile()'s; INVALID_ARGUMENT if it has more than `bytes_max` bytes.
Result<std::string> ReadRegularFile(const std::string& path, size_t bytes_max);

}  // namespace inferd::base
