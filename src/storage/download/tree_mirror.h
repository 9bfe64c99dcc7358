#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/download/download.h"
#include "storage/source/source.h"

namespace inferd::storage {

enum class MirrorLayout {
  kModels,    // the files are those of models, in a folder each, as in a repository
  kOneModel,  // the files are those of one model; they come into the folder kOneModelFolder
};

inline constexpr std::string_view kOneModelFolder = "model";

// A folder of this machine that has what a source has, again and again: models come, change and go. A model that comes
// is there whole; of one that is there, each entry (a version's folder, or a file beside them) is replaced at once, and
// entries that have not changed are not touched. What cannot be brought leaves in place what was. Files are known by
// their sizes and tags: one without a tag counts as changed only with its size. One archive in place of files stands
// for what is in it. Not thread-safe.
class TreeMirror final {
 public:
  // `folder` exists, and nothing else writes to it. Of the options, `time_max` does not count.
  TreeMirror(std::unique_ptr<Source> source, std::filesystem::path folder, MirrorLayout layout,
             DownloadOptions options);

  // Brings what has changed. How many models were brought or removed. The first error, with the model's name where it
  // is one's: the others are up to date nevertheless. Errors are Download's; NOT_FOUND: the source has no file at all,
  // which removes nothing.
  base::Result<size_t> Sync(const std::stop_token& stop);

 private:
  using Files = std::vector<RemoteFile>;
  struct Entry {
    std::string fingerprint;  // of all its files
    Files files;              // with paths below their model's folder
  };
  using Entries = std::map<std::string, Entry>;  // by name in the model's folder

  base::Result<std::map<std::string, Entries>> EntriesByModel(Files files) const;
  base::Result<size_t> SyncFiles(Files files, const std::stop_token& stop);
  base::Result<bool> SyncModel(const std::string& model, const Entries& wanted, const std::stop_token& stop);
  base::Status Bring(const std::filesystem::path& place, const Files& files, const std::stop_token& stop);
  base::Result<size_t> SyncArchive(RemoteFile archive, const std::stop_token& stop);
  static void Remove(const std::filesystem::path& path);

  const std::unique_ptr<Source> source_;
  const std::filesystem::path folder_;
  const MirrorLayout layout_;
  const DownloadOptions options_;
  std::map<std::string, std::map<std::string, std::string>> models_;  // that are here: fingerprints of entries by name
  std::string archive_;                                               // the fingerprint of the archive that is here
};

}  // namespace inferd::storage
