#pragma once

#include <cstddef>
#include <string>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::base {

// Opens a file to read it, links followed, and never waits: what is no regular file (a folder, a pipe, a device, a
// socket) is refused. NOT_FOUND: there is none; INVALID_ARGUMENT: it is no regular file, or cannot be opened.
Result<FileDescriptor> OpenRegularFile(const std::string& path);

// All that it has. Errors are OpenRegularFile's; INVALID_ARGUMENT: it has more than `bytes_max`.
Result<std::string> ReadRegularFile(const std::string& path, size_t bytes_max);

}  // namespace inferd::base
