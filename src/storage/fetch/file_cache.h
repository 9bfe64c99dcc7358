#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"
#include "storage/source/source.h"

namespace inferd::storage {

// Files that were downloaded before, in a folder that any number of processes may share. A file is known by where it
// was, how its source names it, its tag and its size; one without a tag is never kept. A file is there whole or not at
// all, whenever a process or the machine dies. It is copied in and out (file systems that can share blocks do), so that
// what is done to a model's files does not reach it. Thread-safe.
class FileCache final {
 public:
  // Makes the folder where it is not there, and removes what processes that died have left. INTERNAL: it cannot be
  // made.
  static base::Result<FileCache> Open(std::filesystem::path folder);

  // Copies the file that `place` (Source::Place) has as `file` to `local`, which must not exist; false: it is not
  // there, and nothing is at `local`. INTERNAL, RESOURCE_EXHAUSTED: `local` cannot be written.
  base::Result<bool> Take(const std::string& place, const RemoteFile& file, const std::filesystem::path& local) const;

  // Keeps a copy of `local`, which must be whole.
  base::Status Keep(const std::string& place, const RemoteFile& file, const std::filesystem::path& local) const;

  // Removes files, the longest unused first, until those that are left have at most `bytes_max` bytes.
  void Trim(uint64_t bytes_max) const;

 private:
  explicit FileCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path PathOf(const std::string& place, const RemoteFile& file) const;

  std::filesystem::path folder_;
};

}  // namespace inferd::storage
