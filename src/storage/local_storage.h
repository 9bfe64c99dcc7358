#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "storage/storage.h"

namespace inferd::storage {

// Models in a folder of this machine: every sub-folder is one, but for those whose name begins with a dot. Symbolic
// links are followed: in a Kubernetes volume every file is one, into a folder `..data` that is itself replaced at once.
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

// One model, shown as a repository of it: a file, or a folder that has the model's files, as version 1, or has folders
// of versions. A file's folder may hold anything else.
class FileStorage final : public Storage {
 public:
  // `model` empty: the path's last component, without its ending.
  explicit FileStorage(std::filesystem::path path, std::string model = {})
      : path_(std::move(path)), model_(model.empty() ? path_.stem().string() : std::move(model)) {}

  const std::string& model() const { return model_; }
  base::Result<std::vector<std::string>> ListModels() const override;
  // Of files without a version: "1", and "1/<the file's name>"; a folder's config.pbtxt stays where it is.
  base::Result<TreeStat> StatModel(const std::string& model) const override;
  // The folder, or the file's own, which is the version's folder too where there are none.
  std::filesystem::path ModelDir(const std::string& model) const override;
  std::filesystem::path VersionDir(const std::string& model, const std::string& version) const override;

 private:
  const std::filesystem::path path_;
  const std::string model_;
};

// Everything below `dir`, dot-files and dot-folders left out. NOT_FOUND: `dir` itself is not there.
base::Result<TreeStat> StatTree(const std::filesystem::path& dir);

}  // namespace inferd::storage
