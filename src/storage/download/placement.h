#pragma once

#include <filesystem>
#include <utility>

#include "base/status.h"
#include "storage/locked_folder.h"

namespace inferd::storage {

// A folder that is filled elsewhere and moved to its place when it is complete. If the place does not exist, everything
// appears at once or not at all, even if the process or the machine dies. If the place exists (in a pod it is a
// volume's root, which cannot be replaced), each file or folder in its root appears complete: it replaces one of the
// same name at once, and others stay. The destructor removes everything that was not moved. Not thread-safe.
class Placement final {
 public:
  // Begins in the parent folder of `place`, which is made if it is missing, or in `place` itself if that exists.
  // Removes leftovers of processes that died. INTERNAL if the folder cannot be made.
  static base::Result<Placement> Begin(const std::filesystem::path& place);

  // Returns the folder to be filled.
  const std::filesystem::path& folder() const { return folder_; }
  // Returns another folder, for files that must not be moved to the place.
  const std::filesystem::path& scratch() const { return scratch_; }

  // Syncs everything that was written to the disk, and moves it to its place. Call once at most. RESOURCE_EXHAUSTED if
  // the disk is full.
  base::Status Commit();

 private:
  Placement(std::filesystem::path place, LockedFolder staging);

  std::filesystem::path place_;
  LockedFolder staging_;
  std::filesystem::path folder_;
  std::filesystem::path scratch_;
};

// Syncs a file, or a folder and everything below it, to the disk. Does not follow symbolic links.
base::Status SyncTree(const std::filesystem::path& path);

}  // namespace inferd::storage
