#include "kserve/node/work_folder.h"

#include <filesystem>
#include <string_view>
#include <utility>

namespace inferd::node {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporaryPrefix = "inferd-controller.";
constexpr const char* kModels = "models";

}  // namespace

base::Result<WorkFolder> WorkFolder::Make(const std::string& given) {
  if (given.empty()) {
    storage::RemoveAbandonedFolders({}, kTemporaryPrefix);
    INFERD_ASSIGN_OR_RETURN(storage::LockedFolder made, storage::LockedFolder::Create({}, kTemporaryPrefix));
    std::string path = made.path();
    return WorkFolder(std::move(path), std::move(made));
  }
  std::error_code error;
  fs::create_directories(given, error);
  if (error) {
    return std::unexpected(base::Unavailable("the folder '" + given + "' cannot be made: " + error.message()));
  }
  // Models and objects may contain secrets.
  fs::permissions(given, fs::perms::owner_all, error);
  if (error) {
    return std::unexpected(
        base::Unavailable("the folder '" + given + "' cannot be kept from other users: " + error.message()));
  }
  return WorkFolder(given, std::nullopt);
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (!models_.empty()) fs::remove_all(models_, ignored);
}

base::Result<std::string> WorkFolder::ClaimModels() {
  std::string models = path_ + "/" + kModels;
  std::error_code error;
  fs::remove_all(models, error);
  if (error) {
    return std::unexpected(base::Unavailable("the folder '" + models + "' cannot be removed: " + error.message()));
  }
  models_ = std::move(models);
  return models_;
}

}  // namespace inferd::node
