#pragma once

#include <filesystem>
#include <string>

namespace inferd::repository {

// A folder of models, or one model file.
struct RepositoryPath {
  std::string name;  // unique; empty: the path's last component
  std::filesystem::path path;
};

}  // namespace inferd::repository
