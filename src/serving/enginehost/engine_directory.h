#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "serving/enginehost/plugin_engine.h"

namespace inferd::enginehost {

// What a folder of engine libraries has.
struct EngineDirectory {
  std::vector<std::unique_ptr<PluginEngine>> engines;  // in order of their file names, no two with one name
  std::vector<base::Status> problems;                  // one per library that is not among them
};

// Opens every *.so in `directory`; others stay unopened. NOT_FOUND: no such folder. One broken library is a problem of
// its own and keeps none of the others out.
base::Result<EngineDirectory> OpenEngines(const std::filesystem::path& directory, const EngineOptions& options);

}  // namespace inferd::enginehost
