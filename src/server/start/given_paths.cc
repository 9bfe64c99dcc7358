#include "server/start/given_paths.h"

#include <algorithm>
#include <cstddef>
#include <system_error>

#include "base/text/digits.h"
#include "base/text/nearest_name.h"
#include "base/text/printable.h"
#include "config/base_path.h"
#include "config/personality.h"
#include "config/remote_uri.h"
#include "server/start/folder_kind.h"

namespace inferd::server {

namespace fs = std::filesystem;

namespace {

constexpr size_t kListedNamesMax = 5;
constexpr size_t kEntriesMax = 1000;
constexpr size_t kShownBytesMax = 200;

// Returns the working folder. Empty if it was removed.
fs::path WorkingFolder() {
  std::error_code error;
  return fs::current_path(error);
}

// Returns the absolute path without "." and without a slash at its end.
fs::path CleanPath(const std::string& path) {
  std::error_code error;
  const fs::path normal = fs::absolute(path, error).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

// Returns the folder of the model whose folder, or whose version's folder, is given.
fs::path ModelFolderOf(const fs::path& given) {
  const fs::path folder = CleanPath(given.string());
  return base::IsDigits(folder.filename().string()) ? folder.parent_path() : folder;
}

std::string ShownPath(const fs::path& path) {
  const fs::path relative = path.lexically_relative(WorkingFolder());
  const bool is_below = !relative.empty() && *relative.begin() != "..";
  return "'" + base::Printable(is_below ? relative.string() : path.string(), kShownBytesMax) + "'";
}

std::vector<std::string> GivenPaths(const config::ServerOptions& options) {
  std::vector<std::string> paths;
  for (const config::RepositoryOptions& repository : options.repositories) paths.push_back(repository.path);
  for (const std::string& file : options.model_files) paths.push_back(config::SplitNamedPath(file).path);
  std::erase_if(paths, [](const std::string& path) { return config::IsRemoteUri(path); });
  return paths;
}

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end && names.size() < kEntriesMax;
       it.increment(error)) {
    std::string name = it->path().filename().string();
    if (!name.starts_with('.') && base::IsPrintable(name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

// `path` does not exist.
std::string HintFor(const fs::path& path) {
  fs::path folder = path;
  std::string missing;
  std::error_code error;
  while (folder.has_relative_path() && !fs::exists(folder, error)) {
    missing = folder.filename().string();
    folder = folder.parent_path();
  }
  const std::vector<std::string> names = NamesIn(folder);
  const std::string shown = ShownPath(folder);
  const bool is_here = folder == WorkingFolder();
  const std::string prefix = is_here ? "" : shown.substr(1, shown.size() - 2) + "/";
  const std::string suggestion = base::SuggestName(missing.substr(0, kShownBytesMax), names, prefix);
  if (!suggestion.empty()) return suggestion;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kListedNamesMax); ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kListedNamesMax) list += ", ...";
  const std::string where = is_here ? "the current folder" : "the folder " + shown;
  return "; " + where + (names.empty() ? " is empty" : " has: " + list);
}

std::string ModelFolderWarning(const std::string& path, bool own) {
  const fs::path model = ModelFolderOf(path);
  std::string text =
      "model repository " + ShownPath(CleanPath(path)) + " is the folder of one model, so nothing is served: ";
  if (own) text += "serve that model with: inferd " + ShownPath(model) + ", or ";
  return text + "give the folder above it: --model-repository " + ShownPath(model.parent_path());
}

std::string FilesWarning(const std::string& path, bool own) {
  std::string text = "model repository " + ShownPath(CleanPath(path)) +
                     " has model files, but a repository has a folder for each model: NAME/1/model.onnx";
  if (own) text += ". Move the files, or serve each by itself: inferd FILE ...";
  return text;
}

std::string EmptyWarning(const std::string& path) {
  return "model repository " + ShownPath(CleanPath(path)) +
         " is empty: put models into it as NAME/1/model.onnx (docs/models.md has the other formats)";
}

}  // namespace

std::vector<std::string> NameModelFolders(config::ServerOptions& options) {
  std::vector<std::string> notes;
  if (options.personality != &config::DefaultPersonality()) return notes;
  for (std::string& given : options.model_files) {
    const config::NamedPath named = config::SplitNamedPath(given);
    std::error_code error;
    if (!named.name.empty() || config::IsRemoteUri(named.path) || !fs::is_directory(named.path, error)) continue;
    if (KindOfFolder(named.path) != FolderKind::kModel) continue;
    const std::string name = ModelFolderOf(named.path).filename().string();
    if (name.empty()) continue;
    notes.push_back(ShownPath(CleanPath(named.path)) + " is the folder of one model: it is served as '" +
                    base::Printable(name, kShownBytesMax) + "'");
    given = name + "=" + CleanPath(named.path).string();
  }
  return notes;
}

std::vector<std::string> RepositoryWarnings(const config::ServerOptions& options) {
  std::vector<std::string> warnings;
  const bool own = options.personality == &config::DefaultPersonality();
  std::vector<std::string> folders;
  for (const config::RepositoryOptions& repository : options.repositories) folders.push_back(repository.path);
  for (const std::string& file : options.model_files) {
    const config::NamedPath named = config::SplitNamedPath(file);
    if (named.name.empty()) folders.push_back(named.path);
  }
  for (const std::string& folder : folders) {
    std::error_code error;
    if (config::IsRemoteUri(folder) || !fs::is_directory(folder, error)) continue;
    switch (KindOfFolder(folder)) {
      case FolderKind::kRepository: break;
      case FolderKind::kModel: warnings.push_back(ModelFolderWarning(folder, own)); break;
      case FolderKind::kFiles: warnings.push_back(FilesWarning(folder, own)); break;
      case FolderKind::kEmpty: warnings.push_back(EmptyWarning(folder)); break;
    }
  }
  return warnings;
}

std::string MissingPathHint(const config::ServerOptions& options) {
  for (const std::string& path : GivenPaths(options)) {
    std::error_code error;
    if (path.empty() || fs::exists(path, error)) continue;
    return HintFor(CleanPath(path));
  }
  return "";
}

}  // namespace inferd::server
