#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace inferd::bench {

// A model repository in a temporary folder, which the destructor deletes.
class ScratchRepository final {
 public:
  static base::Result<ScratchRepository> Create();
  ~ScratchRepository();
  ScratchRepository(ScratchRepository&& other) noexcept;
  ScratchRepository& operator=(ScratchRepository&&) = delete;

  // Adds a model of one version. `file` is copied as its model.onnx, and `config` is its config.pbtxt.
  base::Status Add(const std::string& model, const std::filesystem::path& file, const std::string& config) const;

  // Adds a model of one version whose engine needs no file.
  base::Status Add(const std::string& model, const std::string& config) const;

  const std::string& folder() const { return folder_; }

 private:
  explicit ScratchRepository(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

}  // namespace inferd::bench
