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
  kModels,    // the source has several models, in a folder each, as in a repository
  kOneModel,  // the source has one model; its files come into the folder kOneModelFolder
};

inline constexpr std::string_view kOneModelFolder = "model";

// A local folder that repeatedly follows a source's content: models come, change and go. A new model appears complete.
// In an existing model, each entry (a version's folder, or a file beside them) is replaced at once, and unchanged
// entries are not touched. If new content cannot be downloaded, the old content stays. Files are identified by their
// sizes and tags: one without a tag counts as changed only if its size changes. A single archive in place of files
// represents its content. Not thread-safe.
class TreeMirror final {
 public:
  // `folder` must exist, and nothing else may write to it. Of the options, `time_max` is ignored.
  TreeMirror(std::unique_ptr<Source> source, std::filesystem::path folder, MirrorLayout layout,
             DownloadOptions options);

  // Downloads changed content. Returns the number of models that were downloaded or removed. Otherwise returns the
  // first error, with the model's name if it concerns one; the other models are up to date nevertheless. Errors are
  // Download()'s. NOT_FOUND if the source has no file at all; then nothing is removed.
  base::Result<size_t> Sync(const std::stop_token& stop);

 private:
  using Files = std::vector<RemoteFile>;
  struct Entry {
    std::string fingerprint;  // of all its files
    Files files;              // with paths relative to their model's folder
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
  // Local models: fingerprints of their entries by name
  std::map<std::string, std::map<std::string, std::string>> models_;
  std::string archive_;  // the fingerprint of the local archive
};

}  // namespace inferd::storage
