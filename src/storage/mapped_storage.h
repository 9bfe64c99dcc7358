#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "base/mutex.h"
#include "storage/storage.h"

namespace inferd::storage {

// Models by name, each in a folder of its own anywhere. Each name counts as a model, whether or not its folder exists.
class MappedStorage final : public Storage {
 public:
  using Folders = std::map<std::string, std::filesystem::path>;

  explicit MappedStorage(Folders folders) : folders_(std::move(folders)) {}

  // Replaces all earlier names.
  void Replace(Folders folders);

  base::Result<std::vector<std::string>> ListModels() const override;
  base::Result<TreeStat> StatModel(const std::string& model) const override;
  // Empty if there is no such model.
  std::filesystem::path ModelDir(const std::string& model) const override;

 private:
  mutable base::Mutex mutex_;
  Folders folders_ GUARDED_BY(mutex_);
};

}  // namespace inferd::storage
