#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::enginehost {

// Returns the paths of the files that a configuration's `op_library_filename`s name, with links followed. Relative
// names start at the model's folder. The files are code, which runs as soon as it is opened. INVALID_ARGUMENT if one of
// them is missing, is not in a folder of `allowed`, or was sent by a client.
base::Result<std::vector<std::string>> FindOpLibraries(const std::vector<std::string>& names,
                                                       const std::filesystem::path& model_dir,
                                                       std::span<const std::filesystem::path> allowed);

// Makes the same checks for a model's file that is native code itself.
base::Status CheckCodeOfModel(const std::filesystem::path& file, std::span<const std::filesystem::path> allowed);

// The parameter that carries the folders of the command line (--allow-op-library), separated by colons. No model can
// set it.
inline constexpr const char* kOpLibraryFolders = "operator.libraries";
std::vector<std::filesystem::path> OpLibraryFolders(const std::string& value);

}  // namespace inferd::enginehost
