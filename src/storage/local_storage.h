#pragma once

#include <filesystem>

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

// One model file, shown as a repository of one model (the file's name without its ending) with version 1. Its folder
// may hold anything else.
class FileStorage final : public Storage {
 public:
  explicit FileStorage(std::filesystem::path file) : file_(std::move(file)) {}

  std::string model() const { return file_.stem().string(); }
  base::Result<std::vector<std::string>> ListModels() const override;
  // "1" and "1/<the file's name>".
  base::Result<TreeStat> StatModel(const std::string& model) const override;
  // The file's own folder, which is the version's folder too.
  std::filesystem::path ModelDir(const std::string& model) const override;
  std::filesystem::path VersionDir(const std::string& model, const std::string&) const override {
    return ModelDir(model);
  }

 private:
  const std::filesystem::path file_;
};

// Everything below `dir`, dot-files and dot-folders left out. NOT_FOUND: `dir` itself is not there.
base::Result<TreeStat> StatTree(const std::filesystem::path& dir);

}  // namespace inferd::storage
