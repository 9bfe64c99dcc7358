#include "storage/source/archive_kind.h"

#include "base/text/ascii_case.h"

namespace inferd::storage {

ArchiveKind ArchiveKindOf(std::string_view file_name) {
  const auto ends_as = [&](std::string_view ending) {
    return file_name.size() >= ending.size() &&
           base::EqualWithoutCase(file_name.substr(file_name.size() - ending.size()), ending);
  };
  if (ends_as(".tar") || ends_as(".tgz") || ends_as(".tar.gz")) return ArchiveKind::kTar;
  return ends_as(".zip") ? ArchiveKind::kZip : ArchiveKind::kNone;
}

}  // namespace inferd::storage
