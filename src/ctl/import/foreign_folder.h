#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

// A model in a folder that was made for another server.
struct ForeignModel {
  std::string name;
  std::string place;                 // its file or folder
  std::vector<std::string> needs{};  // what must be done before inferd serves it; empty if it may work as it is
  std::vector<std::string> notes{};  // what is to know: settings that inferd has in another form
  bool is_pickle = false;            // reading it runs code, so that it is tried only with permission
  std::string argument{};            // NAME=PATH, which serves this model; empty if the folder's options do
};

// A folder that was made for another server, as a reader finds it. inferd has not tried its models yet.
struct ForeignFolder {
  std::vector<ForeignModel> models{};
  std::vector<std::string> unread{};   // what could not be read, and why; it may hold more models
  std::vector<std::string> notes{};    // what is to know of the server's own settings
  std::vector<std::string> options{};  // of the inferd that serves the folder as it is; empty if models have `argument`
  // Options to add if some model cannot be served, so that the others are.
  std::vector<std::string> options_with_failures{};
};

// The readers, one for each server. They change nothing, and follow links. A folder may have 10,000 entries, a file of
// settings 16 MiB, and folders may be 16 levels deep. NOT_FOUND: there is no such folder. INVALID_ARGUMENT: it is not
// such a folder; the text says what was looked for.

// A model repository of Triton Inference Server.
base::Result<ForeignFolder> ReadTritonFolder(const std::filesystem::path& folder);
// TensorFlow Serving's: a base path with versions, a folder of base paths, or a file or folder with a models.config.
base::Result<ForeignFolder> ReadTensorFlowFolder(const std::filesystem::path& folder);
// OpenVINO Model Server's: a config.json, a folder with one, a folder of versions, or a folder of such folders.
base::Result<ForeignFolder> ReadOpenVinoFolder(const std::filesystem::path& folder);
// MLServer's: a folder that has files model-settings.json somewhere below it.
base::Result<ForeignFolder> ReadMlserverFolder(const std::filesystem::path& folder);
// TorchServe's: a model store with .mar files, and perhaps its config.properties.
base::Result<ForeignFolder> ReadTorchserveFolder(const std::filesystem::path& folder);

}  // namespace inferd::ctl
