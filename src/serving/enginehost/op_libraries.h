#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::enginehost {

// The files that a configuration's `op_library_filename`s mean, links followed: relative names start at the model's
// folder. They are code, which runs as soon as it is opened. INVALID_ARGUMENT: one of them lies in no folder of
// `allowed`, or in one of files that clients sent, or is not there.
base::Result<std::vector<std::string>> FindOpLibraries(const std::vector<std::string>& names,
                                                       const std::filesystem::path& model_dir,
                                                       std::span<const std::filesystem::path> allowed);

// The same of a model's file that is native code itself.
base::Status CheckCodeOfModel(const std::filesystem::path& file, std::span<const std::filesystem::path> allowed);

// The parameter in which the server's command line (--allow-op-library) says them, with colons between them; no model
// can have it.
inline constexpr const char* kOpLibraryFolders = "operator.libraries";
std::vector<std::filesystem::path> OpLibraryFolders(const std::string& value);

}  // namespace inferd::enginehost
