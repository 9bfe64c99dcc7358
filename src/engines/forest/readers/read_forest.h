#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

inline constexpr size_t kFileBytesMax = size_t{2} << 30;

// Reads and checks the forest of a file, from any library: its content, not its name, determines the format. NOT_FOUND
// if there is no file. INVALID_ARGUMENT, naming the file, if it is not a regular file, has more than kFileBytesMax
// bytes, has an unknown format, or cannot be read exactly.
base::Result<Forest> ReadForestFile(const std::filesystem::path& path);

// Does the same for the file's content.
base::Result<Forest> ReadForest(std::string_view content);

}  // namespace inferd::forest
