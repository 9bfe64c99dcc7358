#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::local {

// Writes a file of mode 0600 in place of whatever has its name: others see the old content or the new, never a part.
// Returns once it is on disk. UNAVAILABLE: the file cannot be written. Not thread-safe for one path.
base::Status WritePrivateFile(const std::string& path, std::string_view text);

// Makes a folder of mode 0700, with those around it, if all that is there already belongs to this user. A folder of
// that name gets the mode. False: it is another user's, or cannot be made.
bool MakePrivateFolder(const std::string& path);

}  // namespace inferd::local
