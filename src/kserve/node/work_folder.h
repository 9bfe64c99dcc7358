#pragma once

#include <optional>
#include <string>

#include "base/status.h"
#include "storage/locked_folder.h"

namespace inferd::node {

// Where a controller of this machine keeps what it has: a folder that it is given, or a temporary one, which goes with
// this object. Not thread-safe.
class WorkFolder final {
 public:
  // `given` empty: a temporary one; those that controllers have left which were killed are removed. UNAVAILABLE,
  // INTERNAL: the folder cannot be made.
  static base::Result<WorkFolder> Make(const std::string& given);
  // Removes the models, once ClaimModels has succeeded.
  ~WorkFolder();
  WorkFolder(WorkFolder&&) = default;
  WorkFolder& operator=(WorkFolder&&) = delete;

  const std::string& path() const { return path_; }
  bool temporary() const { return temporary_.has_value(); }

  // An empty place for models: what another controller has left there, whose revisions had the same names, goes. To be
  // called by the one whose folder it is now. UNAVAILABLE: it cannot be removed.
  base::Result<std::string> ClaimModels();

 private:
  WorkFolder(std::string path, std::optional<storage::LockedFolder> temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}

  std::string path_;
  std::optional<storage::LockedFolder> temporary_;
  std::string models_;  // empty: they are not this one's
};

}  // namespace inferd::node
