#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/format/format_table.h"

namespace inferd::config {

// The content of a version folder.
struct ModelFiles {
  std::vector<std::string> names;     // directly inside it
  std::filesystem::path folder = {};  // its path; if empty, no file is read, and formats are determined by names only
};

// A file that makes a folder a model.
struct FoundModel {
  const Format* format = nullptr;
  std::string filename;
  bool full_name = false;  // true if it has the format's full name (model.onnx, MLmodel), not just its ending
  std::string missing;     // the missing companion; empty if none is missing
};

// Decides whether files for a platform are wanted.
using WantedPlatform = std::function<bool(const Platform&)>;

// Returns the models among these files: those with a format's full name or, if there are none, those with a matching
// ending. Other files beside programs and folder descriptions are their parts. If there are several models, the
// configuration must choose. In the table's order. Reads files whose name does not determine their format.
std::vector<FoundModel> FindModels(const ModelFiles& files, const WantedPlatform& wanted);

// Returns the format of one file of the folder, whether or not an engine reads it.
std::optional<FoundModel> FindModel(const ModelFiles& files, const std::string& filename);

// Returns the error for a folder that has several models, written for the person who made it. `found` has two or more.
base::Status SeveralModels(const std::string& model, const std::vector<FoundModel>& found);

// Returns advice on the first file that no engine reads, or whose content does not fit its name: a clause. Empty if
// there is none.
std::string AdviceOnUnread(const ModelFiles& files);

// Describes a model file that failed to load, if its content fits no format of the engine: ": it is a TorchScript
// archive". Empty if its kind is right, or if nothing is known about the engine's formats.
std::string DescribeForeignFile(std::string_view engine, const std::filesystem::path& file);

}  // namespace inferd::config
