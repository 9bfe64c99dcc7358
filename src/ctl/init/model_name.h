#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::ctl {

// INVALID_ARGUMENT if a model cannot have this name: it must be the name of a folder that inferd serves. The limit is
// 255 bytes.
base::Status CheckModelName(std::string_view name);

// Returns the default name of a model. It is the file's name without its ending, or the folder's name. The folder of a
// version ("2") gives the name of the folder above it. Characters other than letters, digits, '.', '_' and '-' become
// '_'. Returns "model" if nothing is left. Only the text of `path` counts, so it must be absolute for "." to have a
// name.
std::string DefaultModelName(const std::filesystem::path& path, bool is_folder);

}  // namespace inferd::ctl
