#pragma once

#include <string_view>

namespace inferd::storage {

enum class ArchiveKind { kNone, kTar, kZip };

// What a file is by the end of its name, in whatever case: ".tar", ".tgz" and ".tar.gz", ".zip"; else no archive.
ArchiveKind ArchiveKindOf(std::string_view file_name);

}  // namespace inferd::storage
