#include "storage/mapped_storage.h"

#include "storage/local_storage.h"

namespace inferd::storage {

void MappedStorage::Replace(Folders folders) {
  base::MutexLock lock(mutex_);
  folders_ = std::move(folders);
}

base::Result<std::vector<std::string>> MappedStorage::ListModels() const {
  base::MutexLock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, folder] : folders_) names.push_back(name);
  return names;
}

base::Result<TreeStat> MappedStorage::StatModel(const std::string& model) const {
  const std::filesystem::path folder = ModelDir(model);
  if (folder.empty()) return std::unexpected(base::NotFound(model + ": no such model"));
  return StatTree(folder);
}

std::filesystem::path MappedStorage::ModelDir(const std::string& model) const {
  base::MutexLock lock(mutex_);
  const auto it = folders_.find(model);
  return it == folders_.end() ? std::filesystem::path() : it->second;
}

}  // namespace inferd::storage
