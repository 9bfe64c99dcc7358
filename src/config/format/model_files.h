#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "config/format/format_table.h"

namespace inferd::config {

// What a version folder has.
struct ModelFiles {
  std::vector<std::string> names;     // directly inside it
  std::filesystem::path folder = {};  // where it is; empty: nothing is read, and names alone tell formats
};

// A file that makes a folder a model.
struct FoundModel {
  const Format* format = nullptr;
  std::string filename;
  bool full_name = false;  // its name is the format's own, model.onnx or MLmodel, and not just an ending
  std::string missing;     // the companion that it lacks; empty: it lacks none
};

// Whether files for that platform are looked for.
using WantedPlatform = std::function<bool(const Platform&)>;

// The models among these files: those with a format's full name or, where there is none, those with an ending.
// Programs, and descriptions of the folder, have what else they use beside them. More than one, and which is meant has
// to be said. In the table's order. Reads files whose name does not settle their format.
std::vector<FoundModel> FindModels(const ModelFiles& files, const WantedPlatform& wanted);

// The format of that one file of the folder, whether or not an engine reads it.
std::optional<FoundModel> FindModel(const ModelFiles& files, const std::string& filename);

// That it is not one model, in words for the person who made the folder. `found` has two or more.
base::Status SeveralModels(const std::string& model, const std::vector<FoundModel>& found);

// What to do about the first file that no engine reads, or whose content is not what its name says: a clause. Empty:
// there is none such.
std::string AdviceOnUnread(const ModelFiles& files);

// What a model file is whose load failed, if its content is that of no format of the engine: ": it is a TorchScript
// archive". Empty: nothing is wrong with its kind, or nothing is known about the engine's.
std::string DescribeForeignFile(std::string_view engine, const std::filesystem::path& file);

}  // namespace inferd::config
