#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "storage/storage.h"

namespace inferd::storage {

// Models in a local folder: every sub-folder is one, except those whose name begins with a dot. Symbolic links are
// followed: in a Kubernetes volume every file is a link into a folder `..data`, which is itself a link that is replaced
// at once.
class LocalStorage final : public Storage {
 public:
  explicit LocalStorage(std::filesystem::path root) : root_(std::move(root)) {}

  base::Result<std::vector<std::string>> ListModels() const override;
  std::optional<ListStamp> StampOfList() const override;
  base::Result<TreeStat> StatModel(const std::string& model) const override;
  std::filesystem::path ModelDir(const std::string& model) const override { return root_ / model; }

 private:
  const std::filesystem::path root_;
};

// One model, shown as a repository of one model: a file, or a folder that has the model's files (as version 1) or
// folders of versions. A file's folder may contain anything else.
class FileStorage final : public Storage {
 public:
  // If `model` is empty, the name is the path's last component without its ending.
  explicit FileStorage(std::filesystem::path path, std::string model = {})
      : path_(std::move(path)), model_(model.empty() ? path_.stem().string() : std::move(model)) {}

  const std::string& model() const { return model_; }
  base::Result<std::vector<std::string>> ListModels() const override;
  // For files without a version, the result has "1" and "1/<the file's name>"; a folder's config.pbtxt keeps its place.
  base::Result<TreeStat> StatModel(const std::string& model) const override;
  // Returns the folder, or the file's folder. Without versions' folders it is also the version's folder.
  std::filesystem::path ModelDir(const std::string& model) const override;
  std::filesystem::path VersionDir(const std::string& model, const std::string& version) const override;

 private:
  const std::filesystem::path path_;
  const std::string model_;
};

// Lists everything below `dir`, except dot-files and dot-folders. NOT_FOUND if `dir` itself does not exist.
base::Result<TreeStat> StatTree(const std::filesystem::path& dir);

}  // namespace inferd::storage
