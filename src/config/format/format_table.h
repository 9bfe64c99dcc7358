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

// What the content of a file says where its name fits a row.
enum class Content : uint8_t {
  kUnread,  // nothing: the name is enough
  kTells,   // which of the rows with this name it is; of a kind that is not known, the first of them
  kProves,  // that it is a model at all: any data may have such a name
};

// What a row's files are to those of other rows beside them.
enum class Beside : uint8_t {
  kModel,    // a model of its own: of two, it has to be said which one is meant
  kData,     // the same, but a part of a program beside it, which reads it by itself
  kProgram,  // code, or a graph, that may have data beside it
  kFolder,   // describes the whole folder: all others are its parts
};

// One row of the table of formats: how a version folder shows which engine runs its model.
struct Format {
  std::string_view name;      // for people: "ONNX"
  std::string_view platform;  // a name in the table of platforms, or a backend there; empty: no engine reads it
  // Names of its files, of which one makes it a model. "*.onnx": any with this ending, and "model.onnx" in particular.
  // Of names without a star, the first that is there.
  std::array<std::string_view, 4> files;
  std::string_view companion{};  // a file that has to be there, too; its star is what that of the name stands for
  Content content = Content::kUnread;
  std::array<FileKind, 4> kinds{};  // what such files are by their content; kUnknown: no further one
  Beside beside = Beside::kModel;
  std::string_view without{};  // what to do where no engine for it is installed: a clause; empty: see the engine
  bool read = true;            // false: its engine does not read it yet
  bool code = false;           // native code, which runs as soon as it is opened
  std::string_view also{};     // a backend whose engine reads it, too: where a configuration names that one
};

// The table. Rows of one name are together, in the order in which they are asked; rows of Triton's engines stand in
// Triton's order.
std::span<const Format> Formats();

// What an engine reads so far: rows of one name as one.
struct NamedFormat {
  std::string_view name;
  std::vector<std::string> files;  // "*.onnx", "*.xml with *.bin"
};

std::vector<NamedFormat> FormatsOf(std::string_view engine);

// Null: no engine reads it.
const Platform* PlatformOf(const Format& format);

// Whether it is the engine's own format, or one that it reads, too.
bool IsReadBy(const Format& format, std::string_view engine);

bool HasKind(const Format& format, FileKind kind);

// Whether a model of this backend ("torch_aoti"; empty: unknown) and file name ("model.pt2") is native code.
bool IsNativeCode(std::string_view backend, std::string_view filename);

// Which file it is where a folder does not tell: "model.onnx". Empty: the platform has none such.
std::string DefaultFileOf(const Platform& platform);

}  // namespace inferd::config
