#pragma once

#include <filesystem>
#include <string>

namespace inferd::repository {

// A folder of models, or one model: its file, or with its name the folder that has its files or its versions.
struct RepositoryPath {
  std::string name;  // unique; empty: the path's last component
  std::filesystem::path path;
  std::string model = {};  // empty: a file's model is called as the file is without its ending
};

}  // namespace inferd::repository
