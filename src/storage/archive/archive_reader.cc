#include "storage/archive/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>

#include <new>
#include <utility>

#include "base/system/regular_file.h"
#include "base/text/printable.h"

namespace inferd::storage {

namespace {

constexpr size_t kReadBytes = 256 << 10;
constexpr size_t kErrorBytesMax = 256;
constexpr mode_t kOwnerMayExecute = 0100;

// In the "C" locale a UTF-8 name is unavailable as written, and any other name is unavailable as UTF-8: one of the two
// exists.
std::string NameOf(const char* utf8, const char* as_written) {
  if (utf8 != nullptr) return utf8;
  return as_written != nullptr ? as_written : "";
}

EntryKind KindOf(struct archive_entry* entry) {
  if (archive_entry_hardlink_utf8(entry) != nullptr || archive_entry_hardlink(entry) != nullptr) {
    return EntryKind::kHardlink;
  }
  switch (archive_entry_filetype(entry)) {
    case AE_IFREG: return EntryKind::kFile;
    case AE_IFDIR: return EntryKind::kFolder;
    case AE_IFLNK: return EntryKind::kSymlink;
    default: return EntryKind::kOther;
  }
}

std::string TargetOf(struct archive_entry* entry, EntryKind kind) {
  if (kind == EntryKind::kHardlink) return NameOf(archive_entry_hardlink_utf8(entry), archive_entry_hardlink(entry));
  if (kind == EntryKind::kSymlink) return NameOf(archive_entry_symlink_utf8(entry), archive_entry_symlink(entry));
  return {};
}

}  // namespace

void ArchiveReader::Free::operator()(struct archive* reader) const { archive_read_free(reader); }

base::Result<ArchiveReader> ArchiveReader::Open(const std::filesystem::path& path, ArchiveKind kind) {
  INFERD_ASSIGN_OR_RETURN(base::FileDescriptor file, base::OpenRegularFile(path.string()));
  std::unique_ptr<struct archive, Free> reader(archive_read_new());
  if (reader == nullptr) throw std::bad_alloc();
  // These calls enable nothing else: no format that calls a program, and none that is not needed.
  if (kind == ArchiveKind::kZip) {
    archive_read_support_format_zip(reader.get());
  } else {
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_format_tar(reader.get());
  }
  ArchiveReader opened(std::move(file), std::move(reader));
  const int result = archive_read_open_fd(opened.reader_.get(), opened.file_.get(), kReadBytes);
  if (result != ARCHIVE_OK) return std::unexpected(opened.Error());
  return opened;
}

base::Result<std::optional<ArchiveEntry>> ArchiveReader::NextEntry() {
  struct archive_entry* entry = nullptr;
  const int result = archive_read_next_header(reader_.get(), &entry);
  if (result == ARCHIVE_EOF) return std::nullopt;
  if (result != ARCHIVE_OK && result != ARCHIVE_WARN) return std::unexpected(Error());
  ArchiveEntry read;
  read.path = NameOf(archive_entry_pathname_utf8(entry), archive_entry_pathname(entry));
  read.kind = KindOf(entry);
  read.target = TargetOf(entry, read.kind);
  read.executable = (archive_entry_mode(entry) & kOwnerMayExecute) != 0;
  return read;
}

base::Result<std::optional<ArchiveBlock>> ArchiveReader::NextBlock() {
  const void* data = nullptr;
  size_t size = 0;
  la_int64_t offset = 0;
  const int result = archive_read_data_block(reader_.get(), &data, &size, &offset);
  if (result == ARCHIVE_EOF) return std::nullopt;
  if (result != ARCHIVE_OK || offset < 0) return std::unexpected(Error());
  return ArchiveBlock{.offset = static_cast<uint64_t>(offset), .bytes = {static_cast<const char*>(data), size}};
}

uint64_t ArchiveReader::BytesRead() const { return static_cast<uint64_t>(archive_filter_bytes(reader_.get(), -1)); }

base::Status ArchiveReader::Error() const {
  const char* const why = archive_error_string(reader_.get());
  return base::InvalidArgument(why != nullptr ? base::Printable(why, kErrorBytesMax) : "it cannot be read");
}

}  // namespace inferd::storage
