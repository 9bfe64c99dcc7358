#pragma once

#include <filesystem>
#include <string>

namespace inferd::repository {

// A folder of models, or a single model: its file, or, with `model` set, the folder of its files or versions.
struct RepositoryPath {
  std::string name;  // unique. Empty for the path's last component
  std::filesystem::path path;
  std::string model = {};  // if empty, a file's model is named like the file without its ending
};

}  // namespace inferd::repository
