#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/status.h"

namespace inferd::config {

// What a file is by its content, whatever its name says. Only marks that leave no doubt are in here: a file that has
// none of them is kUnknown, and may still be a model.
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

// With its article: "a TorchScript archive". Of kUnknown: "a file of an unknown kind".
std::string_view Describe(FileKind kind);

// By the first bytes of a file, as many as are given. Of archives it says kZip: their directory is at their end.
FileKind IdentifyContent(std::string_view prefix);

// Reads at most the first 64 KiB, and of an archive the last 64 KiB and 1 MiB of its directory. Links are followed;
// what is neither a folder nor a regular file is never waited for. Errors: it cannot be read.
base::Result<FileKind> IdentifyFile(const std::filesystem::path& path);

}  // namespace inferd::config
