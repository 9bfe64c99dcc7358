#include "storage/local_storage.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

struct CloseDir {
  void operator()(DIR* dir) const { closedir(dir); }
};

base::Status FromErrno(int error, const fs::path& path) {
  const std::string text = path.string() + ": " + std::strerror(error);
  return error == ENOENT || error == ENOTDIR ? base::NotFound(text) : base::Unavailable(text);
}

// Returns sorted names. Dot-files belong to editors, version control and Kubernetes.
base::Result<std::vector<std::string>> ListFolder(const fs::path& path) {
  const std::unique_ptr<DIR, CloseDir> dir(opendir(path.c_str()));
  if (dir == nullptr) return std::unexpected(FromErrno(errno, path));
  std::vector<std::string> names;
  while (const dirent* entry = readdir(dir.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}

int64_t ChangedNs(const struct stat& info) {
  return int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec;
}

FileStat MakeFileStat(std::string path, const struct stat& info) {
  FileStat file;
  file.path = std::move(path);
  file.is_folder = S_ISDIR(info.st_mode);
  file.inode = info.st_ino;
  if (!file.is_folder) {
    file.size = static_cast<uint64_t>(info.st_size);
    file.ctime_ns = ChangedNs(info);
  }
  return file;
}

base::Status AddFolder(const fs::path& dir, const std::string& prefix, int depth, TreeStat& tree) {
  if (depth > kTreeDepthMax) {
    return base::FailedPrecondition(dir.string() + ": folders are nested deeper than " + std::to_string(kTreeDepthMax));
  }
  INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListFolder(dir));
  for (const std::string& name : names) {
    const fs::path path = dir / name;
    struct stat info{};
    if (stat(path.c_str(), &info) != 0) {
      if (errno == ENOENT || errno == ELOOP) continue;  // removed meanwhile, or a dangling link
      return FromErrno(errno, path);
    }
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) continue;
    if (tree.files.size() >= kTreeEntriesMax) {
      return base::FailedPrecondition(dir.string() + ": the model has more than " + std::to_string(kTreeEntriesMax) +
                                      " files");
    }
    tree.files.push_back(MakeFileStat(prefix + name, info));
    if (!S_ISDIR(info.st_mode)) continue;
    const base::Status inside = AddFolder(path, prefix + name + "/", depth + 1, tree);
    if (!inside.ok() && inside.code() != base::StatusCode::kNotFound) return inside;  // else removed meanwhile
  }
  return base::OkStatus();
}

FileStat FirstVersion() {
  FileStat folder;
  folder.path = "1";
  folder.is_folder = true;
  return folder;
}

bool HasVersions(const TreeStat& tree) {
  return std::ranges::any_of(tree.files, [](const FileStat& file) {
    return file.is_folder && file.path.find_first_not_of("0123456789") == std::string::npos;
  });
}

// Shows a model's folder as the files of its version 1; the configuration stays the model's.
TreeStat AsFirstVersion(TreeStat tree) {
  if (tree.files.empty()) return tree;
  for (FileStat& file : tree.files) {
    if (file.path != "config.pbtxt") file.path.insert(0, "1/");
  }
  tree.files.push_back(FirstVersion());
  std::ranges::sort(tree.files, {}, &FileStat::path);
  return tree;
}

}  // namespace

base::Result<TreeStat> StatTree(const fs::path& dir) {
  TreeStat tree;
  INFERD_RETURN_IF_ERROR(AddFolder(dir, "", 1, tree));
  std::ranges::sort(tree.files, {}, &FileStat::path);
  return tree;
}

base::Result<std::vector<std::string>> LocalStorage::ListModels() const {
  INFERD_ASSIGN_OR_RETURN(std::vector<std::string> names, ListFolder(root_));
  std::erase_if(names, [this](const std::string& name) {
    struct stat info{};
    return stat((root_ / name).c_str(), &info) != 0 || !S_ISDIR(info.st_mode);
  });
  return names;
}

std::optional<ListStamp> LocalStorage::StampOfList() const {
  struct stat info{};
  if (stat(root_.c_str(), &info) != 0) return std::nullopt;
  return ListStamp{.inode = info.st_ino, .changed_ns = ChangedNs(info)};
}

base::Result<TreeStat> LocalStorage::StatModel(const std::string& model) const { return StatTree(ModelDir(model)); }

base::Result<std::vector<std::string>> FileStorage::ListModels() const {
  INFERD_ASSIGN_OR_RETURN(const TreeStat tree, StatModel(model()));
  return std::vector<std::string>{model()};
}

base::Result<TreeStat> FileStorage::StatModel(const std::string& name) const {
  if (name != model()) return std::unexpected(base::NotFound(name + ": no such model"));
  struct stat info{};
  if (stat(path_.c_str(), &info) != 0) return std::unexpected(FromErrno(errno, path_));
  if (S_ISDIR(info.st_mode)) {
    INFERD_ASSIGN_OR_RETURN(TreeStat tree, StatTree(path_));
    return HasVersions(tree) ? std::move(tree) : AsFirstVersion(std::move(tree));
  }
  if (!S_ISREG(info.st_mode)) return std::unexpected(base::NotFound(path_.string() + ": not a file"));
  return TreeStat{{FirstVersion(), MakeFileStat("1/" + path_.filename().string(), info)}};
}

fs::path FileStorage::ModelDir(const std::string&) const {
  std::error_code unknown;
  if (fs::is_directory(path_, unknown)) return path_;
  return path_.has_parent_path() ? path_.parent_path() : fs::path(".");
}

fs::path FileStorage::VersionDir(const std::string& model, const std::string& version) const {
  std::error_code unknown;
  if (fs::is_directory(path_ / version, unknown)) return path_ / version;
  return ModelDir(model);
}

}  // namespace inferd::storage
