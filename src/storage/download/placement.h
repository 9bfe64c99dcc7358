#pragma once

#include <filesystem>
#include <utility>

#include "base/status.h"
#include "storage/locked_folder.h"

namespace inferd::storage {

// A folder that is filled aside, and comes to its place when it is whole. Where the place does not exist, all of it
// appears at once, or nothing does, whenever the process or the machine dies. Where it does (in a pod it is a volume's
// root, which cannot be replaced), each file or folder in its root appears whole; one of that name is replaced at once,
// and others stay. The destructor removes what has not come to its place. Not thread-safe.
class Placement final {
 public:
  // Below the folder that `place` is in, which is made where it is not, or in `place` itself if that is there. Removes
  // what processes that died have left of theirs. INTERNAL: the folder cannot be made.
  static base::Result<Placement> Begin(const std::filesystem::path& place);

  // The folder to be filled.
  const std::filesystem::path& folder() const { return folder_; }
  // Another one, for what is not to come to the place.
  const std::filesystem::path& scratch() const { return scratch_; }

  // Has the file system keep all that was written, and brings it to its place. At most once. RESOURCE_EXHAUSTED: the
  // disk is full.
  base::Status Commit();

 private:
  Placement(std::filesystem::path place, LockedFolder staging);

  std::filesystem::path place_;
  LockedFolder staging_;
  std::filesystem::path folder_;
  std::filesystem::path scratch_;
};

// Has the file system keep a file's bytes, or those of a folder and of all below it. Symbolic links are not followed.
base::Status SyncTree(const std::filesystem::path& path);

}  // namespace inferd::storage
