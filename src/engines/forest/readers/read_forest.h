#pragma once

#include <filesystem>
#include <string_view>

#include "base/status.h"
#include "engines/forest/model/forest.h"

namespace inferd::forest {

inline constexpr size_t kFileBytesMax = size_t{2} << 30;

// The forest of a file, whatever library wrote it: its content says which, not its name. The forest is checked.
// NOT_FOUND: there is no file. INVALID_ARGUMENT, naming the file: it is no regular file, has more than kFileBytesMax
// bytes, is of no format that is known here, or cannot be read exactly.
base::Result<Forest> ReadForestFile(const std::filesystem::path& path);

// Likewise of its content.
base::Result<Forest> ReadForest(std::string_view content);

}  // namespace inferd::forest
