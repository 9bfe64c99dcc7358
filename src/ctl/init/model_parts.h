#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::ctl {

// A file or a folder of a model.
struct ModelPart {
  std::filesystem::path from;  // absolute
  std::filesystem::path to;    // its place in the model's folder: "1/model.onnx"
};

// Returns the parts of the model that a person named by a file or a folder of it.
//
// - A file becomes `version`/model.ENDING. The files that its format needs beside it come along (the .bin of an .xml,
//   the weights of a large ONNX model). `patterns` are the file names of all formats, as `inferd --list-engines` prints
//   them: "*.onnx", "*.xml with *.bin". A file that matches none keeps its name.
// - A folder becomes the version's folder. Its config.pbtxt, and the files of labels that the configuration names, go
//   into the model's folder. A file that describes its whole folder (saved_model.pb, MLmodel) stands for the folder.
//
// Errors: NOT_FOUND: there is no such file. INVALID_ARGUMENT: it is a whole model or repository already, is empty, or
// is neither a file nor a folder. FAILED_PRECONDITION: a file that the model needs is missing, or is outside of its
// folder.
base::Result<std::vector<ModelPart>> PartsOf(const std::filesystem::path& given, const std::string& version,
                                             const std::vector<std::string>& patterns);

// Returns the path that a name is derived from: the folder if the file stands for its folder, or the path itself.
std::filesystem::path NamingPath(const std::filesystem::path& given);

}  // namespace inferd::ctl
