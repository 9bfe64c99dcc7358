#include "server/start/folder_kind.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <system_error>
#include <vector>

#include "base/text/digits.h"
#include "config/format/model_files.h"

namespace inferd::server {

namespace fs = std::filesystem;

namespace {

constexpr size_t kExaminedMax = 1000;
constexpr const char* kConfiguration = "config.pbtxt";

struct Entries {
  std::vector<std::string> files;
  std::vector<std::string> folders;
};

Entries EntriesOf(const fs::path& folder) {
  Entries entries;
  std::error_code error;
  size_t count = 0;
  for (fs::directory_iterator it(folder, error), end; !error && it != end && count < kExaminedMax;
       it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    ++count;
    std::error_code gone;
    (it->is_directory(gone) ? entries.folders : entries.files).push_back(std::move(name));
  }
  std::ranges::sort(entries.files);
  std::ranges::sort(entries.folders);
  return entries;
}

std::vector<config::FoundModel> ModelsIn(const fs::path& folder, const Entries& entries) {
  std::vector<std::string> names = entries.files;
  names.insert(names.end(), entries.folders.begin(), entries.folders.end());
  return config::FindModels({.names = std::move(names), .folder = folder},
                            [](const config::Platform&) { return true; });
}

bool HoldsModelFile(const fs::path& folder) { return !ModelsIn(folder, EntriesOf(folder)).empty(); }

bool HasConfiguration(const Entries& entries) {
  return std::ranges::find(entries.files, kConfiguration) != entries.files.end();
}

// Returns true if the folder has the form of a model's: a configuration, or a folder of a version.
bool LooksLikeModel(const fs::path& folder) {
  const Entries entries = EntriesOf(folder);
  return HasConfiguration(entries) || std::ranges::any_of(entries.folders, [&folder](const std::string& name) {
           return base::IsDigits(name) && HoldsModelFile(folder / name);
         });
}

}  // namespace

FolderKind KindOfFolder(const fs::path& folder) {
  const Entries entries = EntriesOf(folder);
  // A repository may have models with numbers as names, and stray files.
  if (std::ranges::any_of(entries.folders, [&folder](const auto& name) { return LooksLikeModel(folder / name); })) {
    return FolderKind::kRepository;
  }
  if (LooksLikeModel(folder)) return FolderKind::kModel;
  const std::vector<config::FoundModel> found = ModelsIn(folder, entries);
  if (found.size() == 1 || (!found.empty() && found.front().full_name)) return FolderKind::kModel;
  if (!found.empty()) return FolderKind::kFiles;
  return entries.folders.empty() ? FolderKind::kEmpty : FolderKind::kRepository;
}

}  // namespace inferd::server
