#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/tree_stat.h"

namespace inferd::storage {

// The maximum number of entries in a model's folder, and the maximum nesting.
inline constexpr size_t kTreeEntriesMax = 100'000;
inline constexpr int kTreeDepthMax = 32;

// A stamp that changes when models come or go, but not when their content changes.
struct ListStamp {
  uint64_t inode = 0;
  int64_t changed_ns = 0;  // since the Unix epoch, with the file system's precision

  bool operator==(const ListStamp&) const = default;
};

// A place of models: named folders of files. Thread-safe; every call may block.
class Storage {
 public:
  virtual ~Storage() = default;

  // Returns the names of the models, sorted. NOT_FOUND if the place itself does not exist.
  virtual base::Result<std::vector<std::string>> ListModels() const = 0;

  // Cheaper than ListModels(). nullopt if unknown.
  virtual std::optional<ListStamp> StampOfList() const { return std::nullopt; }

  // Returns the current content of one model's folder. NOT_FOUND if there is no such model. FAILED_PRECONDITION if it
  // exceeds the limits.
  virtual base::Result<TreeStat> StatModel(const std::string& model) const = 0;

  // Returns a local folder that has the model's files.
  virtual std::filesystem::path ModelDir(const std::string& model) const = 0;
  // Does the same for the files that StatModel() lists below "<version>/".
  virtual std::filesystem::path VersionDir(const std::string& model, const std::string& version) const {
    return ModelDir(model) / version;
  }
};

}  // namespace inferd::storage
