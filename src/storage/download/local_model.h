#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/status.h"

namespace inferd::storage {

// Returns the local path that a URI names, by KServe's rules: the part after "file://", or a text without a scheme if
// that path exists. nullopt for other URIs.
std::optional<std::filesystem::path> LocalPathOf(const std::string& uri);

// Makes a symbolic link in `folder` to `source` or, if that is a folder, to each of its entries, except those that
// begin with a dot and those whose name exists in `place` already. Returns the number of entries. INTERNAL if a link
// cannot be made.
base::Result<size_t> LinkEntries(const std::filesystem::path& source, const std::filesystem::path& folder,
                                 const std::filesystem::path& place);

// Returns `source` if it is a file, or its only entry if that is a file. Otherwise nullopt.
std::optional<std::filesystem::path> OnlyFile(const std::filesystem::path& source);

}  // namespace inferd::storage
