#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "ctl/init/model_parts.h"

namespace inferd::ctl {

// The versions of a model in a repository, ascending. Empty if there is no such model.
std::vector<int64_t> VersionsOf(const std::filesystem::path& model_folder);

// A new version of a model, or a new model, that is made in a hidden folder of the repository. Servers ignore it there.
// Publish() moves it to its place at once. The destructor deletes what is not published, and the repository if this
// class made it. Not thread-safe.
class StagedModel final {
 public:
  // Makes the hidden folder, and the repository if there is none. Errors: FAILED_PRECONDITION, with the system's
  // reason.
  static base::Result<StagedModel> Create(const std::filesystem::path& repository, const std::string& model,
                                          const std::string& version);
  ~StagedModel();
  StagedModel(StagedModel&& other) noexcept;
  StagedModel& operator=(StagedModel&&) = delete;

  // Copies the parts, or makes links to them. Follows links. Folders may be 32 levels deep, and have 100,000 files
  // together; names that begin with a dot are left out. Errors: RESOURCE_EXHAUSTED: more than that, or than the disk
  // has free. INVALID_ARGUMENT: a part is neither a file nor a folder. CANCELLED: an InterruptCatcher caught a
  // SIGINT. FAILED_PRECONDITION: the system's reason.
  base::Status Fill(const std::vector<ModelPart>& parts, bool link);

  // Makes links to the files that all versions of the model share, if it exists: its configuration and its labels.
  // inferd then reads the hidden folder as it will read the model. They are not published.
  base::Status LinkShared();

  // The hidden folder, which is a repository with this model alone.
  const std::filesystem::path& repository() const { return hidden_; }

  // ALREADY_EXISTS if the version, or a model that did not exist, has come since; then nothing changes.
  base::Status Publish();

 private:
  StagedModel() = default;

  std::filesystem::path final_model_;      // the model's place
  std::filesystem::path hidden_;           // empty after a move
  std::filesystem::path staged_model_;     // in `hidden_`
  std::filesystem::path made_repository_;  // the outermost folder that was made for the repository; empty if none
  std::string version_;
  bool model_exists_ = false;
};

}  // namespace inferd::ctl
