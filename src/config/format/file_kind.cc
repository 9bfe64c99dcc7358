#include "config/format/file_kind.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

#include "base/system/regular_file.h"
#include "data/zip/zip_directory.h"

namespace inferd::config {
namespace {

using namespace std::string_view_literals;

constexpr size_t kPrefixBytes = size_t{64} << 10;

struct Description {
  FileKind kind;
  std::string_view text;
};

constexpr std::array kDescriptions = {
    Description{FileKind::kUnknown, "a file of an unknown kind"},
    Description{FileKind::kEmpty, "an empty file"},
    Description{FileKind::kFolder, "a folder"},
    Description{FileKind::kTorchScript, "a TorchScript archive"},
    Description{FileKind::kTorchSave, "a file of torch.save, a pickle without the model's code"},
    Description{FileKind::kTorchExport, "a torch.export archive"},
    Description{FileKind::kPickle, "a Python pickle"},
    Description{FileKind::kCompressed, "a compressed file"},
    Description{FileKind::kZip, "a zip archive"},
    Description{FileKind::kKeras, "a Keras model"},
    Description{FileKind::kSkops, "a skops archive of scikit-learn"},
    Description{FileKind::kHdf5, "an HDF5 file, as Keras writes them"},
    Description{FileKind::kXgboostJson, "an XGBoost model in JSON"},
    Description{FileKind::kXgboostUbj, "an XGBoost model in UBJSON"},
    Description{FileKind::kXgboostBinary, "an XGBoost model in its old binary format"},
    Description{FileKind::kLightGbm, "a LightGBM model"},
    Description{FileKind::kTreelite, "a treelite checkpoint"},
    Description{FileKind::kMxnetSymbol, "an MXNet symbol file"},
    Description{FileKind::kPaddlePir, "a Paddle 3 program (PIR)"},
    Description{FileKind::kOpenVinoIr, "an OpenVINO model"},
    Description{FileKind::kPmml, "a PMML document"},
    Description{FileKind::kTfLite, "a TensorFlow Lite model"},
    Description{FileKind::kOnnx, "an ONNX model"},
    Description{FileKind::kSavedModel, "the saved_model.pb of a SavedModel"},
    Description{FileKind::kTensorRtPlan, "a TensorRT plan"},
    Description{FileKind::kSafetensors, "a safetensors file, weights without a model"},
    Description{FileKind::kGguf, "a GGUF file"},
    Description{FileKind::kHtml, "an HTML page, perhaps the error of a download"},
    Description{FileKind::kGitLfs, "a pointer of Git LFS: the model itself was not fetched (git lfs pull)"},
    Description{FileKind::kProgram, "a program or a shared library"},
};

// Bytes at a position that identify a kind of file.
struct Mark {
  FileKind kind;
  size_t at;
  std::string_view bytes;
};

constexpr std::array kMarks = {
    Mark{FileKind::kZip, 0, "PK\3\4"sv},
    Mark{FileKind::kZip, 0, "PK\5\6"sv},  // an archive without files
    // The magic number of torch.save before it made archives, as a pickle of protocol 2.
    Mark{FileKind::kTorchSave, 0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv},
    Mark{FileKind::kPickle, 0, "\x80\x02"sv},
    Mark{FileKind::kPickle, 0, "\x80\x03"sv},
    Mark{FileKind::kPickle, 0, "\x80\x04"sv},
    Mark{FileKind::kPickle, 0, "\x80\x05"sv},
    Mark{FileKind::kCompressed, 0, "\x1f\x8b\x08"sv},              // gzip
    Mark{FileKind::kCompressed, 0, "\x78\x01"sv},                  // zlib
    Mark{FileKind::kCompressed, 0, "\x78\x5e"sv},                  // zlib
    Mark{FileKind::kCompressed, 0, "\x78\x9c"sv},                  // zlib
    Mark{FileKind::kCompressed, 0, "\x78\xda"sv},                  // zlib
    Mark{FileKind::kCompressed, 0, "BZh"sv},                       // bzip2
    Mark{FileKind::kCompressed, 0, "\xfd\x37\x7a\x58\x5a\x00"sv},  // xz
    Mark{FileKind::kCompressed, 0, "\x5d\x00\x00"sv},              // lzma
    Mark{FileKind::kCompressed, 0, "\x04\x22\x4d\x18"sv},          // lz4
    Mark{FileKind::kHdf5, 0, "\x89HDF\r\n\x1a\n"sv},
    Mark{FileKind::kXgboostBinary, 0, "binf"sv},
    Mark{FileKind::kLightGbm, 0, "tree\nversion="sv},
    Mark{FileKind::kLightGbm, 0, "tree\r\nversion="sv},
    Mark{FileKind::kTfLite, 4, "TFL3"sv},
    Mark{FileKind::kTensorRtPlan, 0, "ptrt"sv},
    Mark{FileKind::kTensorRtPlan, 0, "ftrt"sv},
    Mark{FileKind::kSafetensors, 8, "{\""sv},
    Mark{FileKind::kGguf, 0, "GGUF"sv},
    Mark{FileKind::kHtml, 0, "<!DOCTYPE html"sv},
    Mark{FileKind::kHtml, 0, "<!doctype html"sv},
    Mark{FileKind::kHtml, 0, "<html"sv},
    Mark{FileKind::kGitLfs, 0, "version https://git-lfs.github.com/spec/"sv},
    Mark{FileKind::kProgram, 0,
         "\x7f"
         "ELF"sv},
};

std::string_view WithoutSpace(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"sv), text.size()));
}

// Returns true if the JSON text, which may be truncated, has that member at any depth.
bool HasKey(std::string_view json, std::string_view quoted_name) {
  for (size_t at = json.find(quoted_name); at != std::string_view::npos; at = json.find(quoted_name, at + 1)) {
    if (WithoutSpace(json.substr(at + quoted_name.size())).starts_with(':')) return true;
  }
  return false;
}

FileKind IdentifyJson(std::string_view text) {
  if (HasKey(text, "\"learner\"")) return FileKind::kXgboostJson;
  if (HasKey(text, "\"nodes\"") && HasKey(text, "\"op\"")) return FileKind::kMxnetSymbol;
  if (HasKey(text, "\"base_code\"") && HasKey(text, "\"magic\"")) return FileKind::kPaddlePir;
  return FileKind::kUnknown;
}

// Identifies XML by the root element.
FileKind IdentifyXml(std::string_view text) {
  while (true) {
    text = WithoutSpace(text);
    std::string_view end;
    if (text.starts_with("<?")) {
      end = "?>";
    } else if (text.starts_with("<!--")) {
      end = "-->";
    } else {
      break;
    }
    const size_t at = text.find(end);
    if (at == std::string_view::npos) return FileKind::kUnknown;
    text.remove_prefix(at + end.size());
  }
  if (text.starts_with("<PMML")) return FileKind::kPmml;
  return text.starts_with("<net ") ? FileKind::kOpenVinoIr : FileKind::kUnknown;
}

// Returns true for a UBJSON object whose first key is the learner or the version: its length as an integer of some
// size, and its name.
bool IsXgboostUbj(std::string_view bytes) {
  if (!bytes.starts_with('{') || bytes.size() < 2 || "iUIlL"sv.find(bytes[1]) == std::string_view::npos) return false;
  const std::string_view name = bytes.substr(2, 16);
  return name.find("\7learner"sv) != std::string_view::npos || name.find("\7version"sv) != std::string_view::npos;
}

// Returns true for three version numbers of four bytes each, and the types of thresholds and leaves: 2 and 3 are
// floats, 1 is an integer.
bool IsTreelite(std::string_view bytes) {
  if (bytes.size() < 14) return false;
  const auto small = [&](size_t at) { return bytes.substr(at + 1, 3) == "\0\0\0"sv; };
  const bool version = small(0) && small(4) && small(8) && bytes[0] >= 3 && bytes[0] <= 5;
  return version && (bytes[12] == 2 || bytes[12] == 3) && bytes[13] >= 1 && bytes[13] <= 3;
}

// Identifies a protobuf message by its fields, in the order in which the writers of these messages put them.
FileKind IdentifyMessage(std::string_view bytes) {
  if (bytes.size() < 4 || bytes[0] != 8) return FileKind::kUnknown;
  // The fields saved_model_schema_version 1, and meta_graphs.
  if (bytes[1] == 1 && bytes[2] == '\x12') return FileKind::kSavedModel;
  // The fields ir_version, and producer_name, domain or graph.
  const bool onnx = bytes[1] >= 3 && bytes[1] < 20 && "\x12\x22\x3a"sv.find(bytes[2]) != std::string_view::npos;
  return onnx ? FileKind::kOnnx : FileKind::kUnknown;
}

// Identifies an archive by its files' names: PyTorch's are all in one folder.
FileKind IdentifyArchive(const std::vector<zip::Entry>& files) {
  const auto any = [&files](auto&& fits) { return std::ranges::any_of(files, fits, &zip::Entry::name); };
  const auto has = [&any](std::string_view name) {
    return any([name](const std::string& each) { return each == name; });
  };
  const auto has_inside = [&any](std::string_view path) {
    return any([path](const std::string& each) { return std::string_view(each).substr(each.find('/') + 1) == path; });
  };
  const bool code = any([](const std::string& name) {
    return std::string_view(name).substr(std::min(name.find('/'), name.size())).starts_with("/code/");
  });
  if (has_inside("constants.pkl") || code) return FileKind::kTorchScript;
  if (has_inside("archive_format") || has("serialized_exported_program.json")) return FileKind::kTorchExport;
  if (has_inside("data.pkl")) return FileKind::kTorchSave;
  if (has("schema.json")) return FileKind::kSkops;
  if (has("config.json") && has("model.weights.h5")) return FileKind::kKeras;
  return FileKind::kZip;
}

base::Result<std::string> ReadPrefix(int file, const std::filesystem::path& path) {
  std::string prefix(kPrefixBytes, '\0');
  size_t filled = 0;
  while (filled < prefix.size()) {
    const ssize_t count = read(file, prefix.data() + filled, prefix.size() - filled);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return std::unexpected(base::InvalidArgument("cannot read '" + path.string() + "': " + std::strerror(errno)));
    }
    filled += static_cast<size_t>(count);
  }
  prefix.resize(filled);
  return prefix;
}

}  // namespace

std::string_view Describe(FileKind kind) { return std::ranges::find(kDescriptions, kind, &Description::kind)->text; }

FileKind IdentifyContent(std::string_view prefix) {
  if (prefix.empty()) return FileKind::kEmpty;
  for (const Mark& mark : kMarks) {
    if (prefix.size() >= mark.at && prefix.substr(mark.at).starts_with(mark.bytes)) return mark.kind;
  }
  if (IsXgboostUbj(prefix)) return FileKind::kXgboostUbj;
  if (IsTreelite(prefix)) return FileKind::kTreelite;
  std::string_view text = prefix;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // the byte order mark of UTF-8
  text = WithoutSpace(text);
  if (text.starts_with('{')) return IdentifyJson(text);
  if (text.starts_with('<')) return IdentifyXml(text);
  return IdentifyMessage(prefix);
}

base::Result<FileKind> IdentifyFile(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return FileKind::kFolder;
  INFERD_ASSIGN_OR_RETURN(const base::FileDescriptor file, base::OpenRegularFile(path.string()));
  INFERD_ASSIGN_OR_RETURN(const std::string prefix, ReadPrefix(file.get(), path));
  const FileKind kind = IdentifyContent(prefix);
  return kind == FileKind::kZip ? IdentifyArchive(zip::ReadDirectory(file.get())) : kind;
}

}  // namespace inferd::config
