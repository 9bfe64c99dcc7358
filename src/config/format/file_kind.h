#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/status.h"

namespace inferd::config {

// The kind of a file by its content, whatever its name. Only unambiguous marks are used: a file without any is
// kUnknown, and may still be a model.
enum class FileKind : uint8_t {
  kUnknown,
  kEmpty,
  kFolder,
  kTorchScript,
  kTorchSave,
  kTorchExport,
  kPickle,
  kCompressed,
  kZip,
  kKeras,
  kSkops,
  kHdf5,
  kXgboostJson,
  kXgboostUbj,
  kXgboostBinary,
  kLightGbm,
  kTreelite,
  kMxnetSymbol,
  kPaddlePir,
  kOpenVinoIr,
  kPmml,
  kTfLite,
  kOnnx,
  kSavedModel,
  kTensorRtPlan,
  kSafetensors,
  kGguf,
  kHtml,
  kGitLfs,
  kProgram,
};

// Returns the kind with its article: "a TorchScript archive". For kUnknown: "a file of an unknown kind".
std::string_view Describe(FileKind kind);

// Identifies a file by its first bytes, as many as are given. Returns kZip for all archives: their directory is at
// their end.
FileKind IdentifyContent(std::string_view prefix);

// Identifies a file. Reads at most the first 64 KiB, and from an archive also the last 64 KiB and 1 MiB of its
// directory. Follows links. Never blocks on anything but folders and regular files. Fails if the file cannot be read.
base::Result<FileKind> IdentifyFile(const std::filesystem::path& path);

}  // namespace inferd::config
