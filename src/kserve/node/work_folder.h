#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "storage/locked_folder.h"

namespace inferd::node {

// The folder in which a local controller keeps its data: a given folder, or a temporary one, which is removed with this
// object. Not thread-safe.
class WorkFolder final {
 public:
  // If `given` is empty, creates a temporary folder, and removes those of killed controllers. UNAVAILABLE or INTERNAL
  // if the folder cannot be created.
  static base::Result<WorkFolder> Make(const std::string& given);
  // Removes the models, if ClaimModels has succeeded.
  ~WorkFolder();
  WorkFolder(WorkFolder&&) = default;
  WorkFolder& operator=(WorkFolder&&) = delete;

  const std::string& path() const { return path_; }
  bool temporary() const { return temporary_.has_value(); }

  // Returns the path for models, and removes what an earlier controller has left there, because its revisions may have
  // the same names. Call only as the owner of the work folder. UNAVAILABLE if the old models cannot be removed.
  base::Result<std::string> ClaimModels();

 private:
  WorkFolder(std::string path, std::optional<storage::LockedFolder> temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}

  std::string path_;
  std::optional<storage::LockedFolder> temporary_;
  std::string models_;  // empty before ClaimModels
};

}  // namespace inferd::node
