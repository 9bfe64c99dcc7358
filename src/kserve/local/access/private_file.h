#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::local {

// Writes a file of mode 0600, and replaces any file of that name. Readers see the old or the new content, never a part.
// Returns once the content is on disk. UNAVAILABLE if the file cannot be written. Not thread-safe for one path.
base::Status WritePrivateFile(const std::string& path, std::string_view text);

// Creates a folder of mode 0700, with its parents, if the existing parents belong to this user. An existing folder gets
// the mode. Returns false if it belongs to another user or cannot be created.
bool MakePrivateFolder(const std::string& path);

}  // namespace inferd::local
