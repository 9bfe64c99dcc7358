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
  std::string path;    // as the archive has it
  std::string target;  // of a link, as the archive has it
  EntryKind kind = EntryKind::kOther;
  bool executable = false;  // by its owner
};

// A piece of a file: where it stands in the file, and its bytes, which live until the next call.
struct ArchiveBlock {
  uint64_t offset = 0;
  std::string_view bytes;
};

// Reads an archive from its begin to its end. Not thread-safe. Every error is INVALID_ARGUMENT with a text that says
// what is wrong with the archive.
class ArchiveReader final {
 public:
  static base::Result<ArchiveReader> Open(const std::filesystem::path& file, ArchiveKind kind);

  // The next entry; nullopt behind the last.
  base::Result<std::optional<ArchiveEntry>> NextEntry();
  // The next piece of the entry's bytes; nullopt behind the last. A sparse file's holes are between pieces, and an
  // empty piece may stand at the file's end.
  base::Result<std::optional<ArchiveBlock>> NextBlock();
  // How many bytes of the archive were read.
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
