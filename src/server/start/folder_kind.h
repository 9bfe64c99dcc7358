#pragma once

#include <filesystem>

namespace inferd::server {

// The content of a folder that was given as a model repository.
enum class FolderKind {
  kRepository,  // folders of models; also if the folder cannot be read
  kModel,       // one model: a config.pbtxt, folders of versions, or one model file
  kFiles,       // several model files, none of them in a model's folder
  kEmpty,       // neither folders nor model files
};

// Determines the kind by names, and by the content of files whose name does not tell their format. Looks at 1000
// entries at most.
FolderKind KindOfFolder(const std::filesystem::path& folder);

}  // namespace inferd::server
