#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/status.h"

namespace inferd::storage {

// The path of this machine that a URI names, by KServe's rules: behind "file://", and what has no scheme if it is
// there. nullopt: it is no such URI.
std::optional<std::filesystem::path> LocalPathOf(const std::string& uri);

// Makes, in `folder`, a symbolic link to `source` or, if that is a folder, to each of its entries that do not begin
// with a dot, but for those whose name `place` has already. How many entries there are. INTERNAL: a link cannot be
// made.
base::Result<size_t> LinkEntries(const std::filesystem::path& source, const std::filesystem::path& folder,
                                 const std::filesystem::path& place);

// The file that `source` is, or that is its only entry; nullopt: it is none, or there are others.
std::optional<std::filesystem::path> OnlyFile(const std::filesystem::path& source);

}  // namespace inferd::storage
