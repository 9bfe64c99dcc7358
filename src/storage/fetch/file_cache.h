#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"
#include "storage/source/source.h"

namespace inferd::storage {

// Files of earlier downloads, in a folder that any number of processes may share. A file is identified by its place,
// the source's name for it, its tag and its size; files without a tag are never cached. A file is complete or absent,
// even if a process or the machine dies. It is copied in and out (with shared blocks if the file system supports them),
// so that changes to a model's files do not affect it. Thread-safe.
class FileCache final {
 public:
  // Makes the folder if it is missing, and removes leftovers of processes that died. INTERNAL if it cannot be made.
  static base::Result<FileCache> Open(std::filesystem::path folder);

  // Copies the cached `file` of `place` (Source::Place()) to `local`, which must not exist. Returns false, without
  // creating `local`, if it is not cached. INTERNAL or RESOURCE_EXHAUSTED if `local` cannot be written.
  base::Result<bool> Take(const std::string& place, const RemoteFile& file, const std::filesystem::path& local) const;

  // Stores a copy of `local`, which must be complete.
  base::Status Keep(const std::string& place, const RemoteFile& file, const std::filesystem::path& local) const;

  // Removes files, least recently used first, until the rest has at most `bytes_max` bytes.
  void Trim(uint64_t bytes_max) const;

 private:
  explicit FileCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path PathOf(const std::string& place, const RemoteFile& file) const;

  std::filesystem::path folder_;
};

}  // namespace inferd::storage
