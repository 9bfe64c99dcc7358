#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/format/file_kind.h"
#include "config/platform.h"

namespace inferd::config {

// The role of a file's content if its name matches a row.
enum class Content : uint8_t {
  kUnread,  // none: the name is enough
  kTells,   // decides between rows with this name; if its kind is unknown, the first row is used
  kProves,  // must prove that it is a model: any data may have such a name
};

// The relation of a row's files to those of other rows in the same folder.
enum class Beside : uint8_t {
  kModel,    // a model of its own: if there are two, the configuration must choose
  kData,     // likewise, but part of a program beside it, which reads it by itself
  kProgram,  // code, or a graph, that may have data beside it
  kFolder,   // describes the whole folder: all other files are its parts
};

// One row of the table of formats: how a version folder shows which engine runs its model.
struct Format {
  std::string_view name;      // human-readable: "ONNX"
  std::string_view platform;  // a name in the table of platforms, or a backend there; empty if no engine reads it
  // Names of its files, any of which makes a folder a model. "*.onnx" means any with this ending, and "model.onnx" in
  // particular. Of names without a star, the first existing one is used.
  std::array<std::string_view, 4> files;
  std::string_view companion{};  // a file that must exist too; its star has the same text as the name's
  Content content = Content::kUnread;
  std::array<FileKind, 4> kinds{};  // the kinds of such files by content; unused entries are kUnknown
  Beside beside = Beside::kModel;
  std::string_view without{};  // advice if no engine for it is installed: a clause; if empty, see the engine
  bool read = true;            // false if its engine does not read it yet
  bool code = false;           // native code, which runs as soon as it is opened
  std::string_view also{};     // a backend whose engine also reads it, if a configuration names that backend
};

// Returns the table. Rows with the same name are adjacent, in their order of evaluation. Rows of Triton's engines are
// in Triton's order.
std::span<const Format> Formats();

// A format that an engine reads; rows with the same name are merged.
struct NamedFormat {
  std::string_view name;
  std::vector<std::string> files;  // "*.onnx", "*.xml with *.bin"
};

std::vector<NamedFormat> FormatsOf(std::string_view engine);

// Null if no engine reads the format.
const Platform* PlatformOf(const Format& format);

// Returns true if the engine reads this format, as its own or through `also`.
bool IsReadBy(const Format& format, std::string_view engine);

bool HasKind(const Format& format, FileKind kind);

// Returns true if a model of this backend ("torch_aoti"; empty if unknown) and file name ("model.pt2") is native code.
bool IsNativeCode(std::string_view backend, std::string_view filename);

// Returns the file name if the folder's files do not decide: "model.onnx". Empty if the platform has none.
std::string DefaultFileOf(const Platform& platform);

}  // namespace inferd::config
