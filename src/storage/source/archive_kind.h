#pragma once

#include <string_view>

namespace inferd::storage {

enum class ArchiveKind { kNone, kTar, kZip };

// Returns a file's kind by the end of its name, in any case: ".tar", ".tgz" and ".tar.gz", ".zip"; others are not
// archives.
ArchiveKind ArchiveKindOf(std::string_view file_name);

}  // namespace inferd::storage
