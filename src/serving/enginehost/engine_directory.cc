#include "serving/enginehost/engine_directory.h"

#include <algorithm>
#include <string>
#include <system_error>

namespace inferd::enginehost {

base::Result<EngineDirectory> OpenEngines(const std::filesystem::path& directory, const EngineOptions& options) {
  std::error_code error;
  std::vector<std::filesystem::path> paths;
  std::filesystem::directory_iterator it(directory, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (it->path().extension() == ".so") paths.push_back(it->path());
  }
  if (error) {
    return std::unexpected(base::NotFound("engine directory '" + directory.string() + "': " + error.message()));
  }
  std::sort(paths.begin(), paths.end());
  EngineDirectory result;
  for (const auto& path : paths) {
    auto engine = PluginEngine::Open(path, options);
    if (!engine) {
      result.problems.push_back(std::move(engine).error());
      continue;
    }
    const auto same_name = [&](const auto& other) { return other->name() == (*engine)->name(); };
    if (std::any_of(result.engines.begin(), result.engines.end(), same_name)) {
      result.problems.push_back(base::AlreadyExists("engine library '" + path.string() + "' is a second engine '" +
                                                    std::string((*engine)->name()) + "'; the first one is used"));
      continue;
    }
    result.engines.push_back(*std::move(engine));
  }
  return result;
}

}  // namespace inferd::enginehost
