#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "storage/source/archive_kind.h"

struct archive;
struct archive_entry;

namespace inferd::storage {

enum class EntryKind { kFile, kFolder, kSymlink, kHardlink, kOther };

struct ArchiveEntry {
  std::string path;    // as in the archive
  std::string target;  // of a link, as in the archive
  EntryKind kind = EntryKind::kOther;
  bool executable = false;  // true if its owner may execute it
};

// A piece of a file: its offset in the file, and its bytes, which are valid until the next call.
struct ArchiveBlock {
  uint64_t offset = 0;
  std::string_view bytes;
};

// Reads an archive from start to end. Not thread-safe. Every error is INVALID_ARGUMENT with a text that says what is
// wrong with the archive.
class ArchiveReader final {
 public:
  static base::Result<ArchiveReader> Open(const std::filesystem::path& file, ArchiveKind kind);

  // Returns the next entry, or nullopt after the last.
  base::Result<std::optional<ArchiveEntry>> NextEntry();
  // Returns the next piece of the entry's bytes, or nullopt after the last. A sparse file's holes are between pieces,
  // and an empty piece may mark the file's end.
  base::Result<std::optional<ArchiveBlock>> NextBlock();
  // Returns the number of bytes of the archive that were read.
  uint64_t BytesRead() const;

 private:
  struct Free {
    void operator()(struct archive* reader) const;
  };
  ArchiveReader(base::FileDescriptor file, std::unique_ptr<struct archive, Free> reader)
      : file_(std::move(file)), reader_(std::move(reader)) {}
  base::Status Error() const;

  base::FileDescriptor file_;
  std::unique_ptr<struct archive, Free> reader_;
};

}  // namespace inferd::storage
