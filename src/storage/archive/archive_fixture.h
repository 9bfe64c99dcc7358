#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <string>

namespace inferd::storage {

// Writes archives for tests, with any names and links.
class ArchiveWriter final {
 public:
  // The format is "ustar", "pax" or "gnutar", compressed if `gzip`, or "zip".
  ArchiveWriter(const std::filesystem::path& file, const std::string& format, bool gzip = false)
      : writer_(archive_write_new()) {
    archive_write_set_format_by_name(writer_, format.c_str());
    if (gzip) archive_write_add_filter_gzip(writer_);
    archive_write_set_options(writer_, "hdrcharset=BINARY");
    archive_write_open_filename(writer_, file.c_str());
  }
  ~ArchiveWriter() { archive_write_free(writer_); }
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  ArchiveWriter& File(const std::string& path, const std::string& bytes, int mode = 0644) {
    struct archive_entry* const entry = Entry(path, AE_IFREG, mode);
    archive_entry_set_size(entry, static_cast<la_int64_t>(bytes.size()));
    return Write(entry, bytes);
  }
  ArchiveWriter& Folder(const std::string& path) { return Write(Entry(path, AE_IFDIR, 0755), ""); }
  ArchiveWriter& Symlink(const std::string& path, const std::string& target) {
    struct archive_entry* const entry = Entry(path, AE_IFLNK, 0777);
    archive_entry_set_symlink(entry, target.c_str());
    return Write(entry, "");
  }
  ArchiveWriter& Hardlink(const std::string& path, const std::string& target) {
    struct archive_entry* const entry = Entry(path, AE_IFREG, 0644);
    archive_entry_set_hardlink(entry, target.c_str());
    return Write(entry, "");
  }
  ArchiveWriter& Special(const std::string& path, unsigned int type) { return Write(Entry(path, type, 0644), ""); }

 private:
  static struct archive_entry* Entry(const std::string& path, unsigned int type, int mode) {
    struct archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, path.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, static_cast<mode_t>(mode));
    return entry;
  }
  ArchiveWriter& Write(struct archive_entry* entry, const std::string& bytes) {
    archive_write_header(writer_, entry);
    if (!bytes.empty()) archive_write_data(writer_, bytes.data(), bytes.size());
    archive_entry_free(entry);
    return *this;
  }

  struct archive* const writer_;
};

}  // namespace inferd::storage
