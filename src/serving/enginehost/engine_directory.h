#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "serving/enginehost/plugin_engine.h"

namespace inferd::enginehost {

// The engines of a folder of engine libraries.
struct EngineDirectory {
  std::vector<std::unique_ptr<PluginEngine>> engines;  // in the order of their file names; names are unique
  std::vector<base::Status> problems;                  // one per library that could not be opened
};

// Opens every *.so in `directory`, and no other file. A broken library adds a problem and does not affect the others.
// NOT_FOUND if there is no such folder.
base::Result<EngineDirectory> OpenEngines(const std::filesystem::path& directory, const EngineOptions& options);

}  // namespace inferd::enginehost
