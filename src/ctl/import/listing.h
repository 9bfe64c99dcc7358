#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

// The names in a folder, sorted, without those that begin with a dot.
struct Listing {
  std::vector<std::string> folders;
  std::vector<std::string> files;
};

// NOT_FOUND: there is no such folder. PERMISSION_DENIED: it cannot be read. RESOURCE_EXHAUSTED: it has more than
// `entries_max` entries.
base::Result<Listing> ListFolder(const std::filesystem::path& folder, size_t entries_max = 10'000);

// Returns true if the folder has a folder whose name is a number: a version.
bool HasVersionFolders(const std::filesystem::path& folder);

// Returns the file's text. Errors: those of base::ReadRegularFile, with a limit of 16 MiB.
base::Result<std::string> ReadSettings(const std::filesystem::path& file);

}  // namespace inferd::ctl
