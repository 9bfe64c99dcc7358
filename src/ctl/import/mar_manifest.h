#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inferd::ctl {

// The manifest of a model archive of TorchServe (MAR-INF/MANIFEST.json, member "model"). Members that it lacks are
// empty.
struct MarManifest {
  std::string name;             // modelName
  std::string version;          // modelVersion
  std::string serialized_file;  // the model, or its weights
  std::string model_file;       // Python code of the model's class, for weights alone
  std::string handler;          // a name of TorchServe's own, or a file, perhaps with ":function"
  std::string requirements;     // a file of Python packages
};

// INVALID_ARGUMENT, with the byte, if the text is not such a manifest.
base::Result<MarManifest> ParseMarManifest(std::string_view text);

// Reads the manifest of an archive (a .mar file, which is a ZIP file), or of a folder with the content of one.
// NOT_FOUND: there is none. INVALID_ARGUMENT: the file is no ZIP file, or is damaged. The limit of the manifest is 1
// MiB.
base::Result<MarManifest> ReadMarManifest(const std::filesystem::path& path);

}  // namespace inferd::ctl
