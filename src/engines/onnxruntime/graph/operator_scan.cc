#include "engines/onnxruntime/graph/operator_scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

#include "data/wire/format.h"
#include "engines/onnxruntime/graph/onnx_fields.h"

namespace inferd::onnxruntime {

namespace {

using wire::Type;

// A field of a message that lies in a file; both ends count from the file's beginning.
struct FileField {
  uint32_t tag = 0;
  uint64_t begin = 0;  // of its value
  uint64_t end = 0;
};

// Bytes of a file, read in windows.
class FileWindow final {
 public:
  explicit FileWindow(const std::filesystem::path& file) : file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~FileWindow() {
    if (file_ >= 0) ::close(file_);
  }
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  uint64_t size() const {
    const off_t end = file_ < 0 ? 0 : ::lseek(file_, 0, SEEK_END);
    return end < 0 ? 0 : static_cast<uint64_t>(end);
  }

  // nullopt: the file does not have it.
  std::optional<uint8_t> At(uint64_t position) {
    if (position - begin_ >= bytes_.size() && !Fill(position)) return std::nullopt;
    return static_cast<uint8_t>(bytes_[position - begin_]);
  }

  // Takes the varint at `*position` and moves behind it.
  std::optional<uint64_t> Varint(uint64_t* position) {
    uint64_t value = 0;
    for (size_t i = 0; i < wire::kVarintMax; ++i) {
      const std::optional<uint8_t> byte = At((*position)++);
      if (!byte.has_value()) return std::nullopt;
      value |= static_cast<uint64_t>(*byte & 0x7f) << (7 * i);
      if (*byte < 0x80) return value;
    }
    return std::nullopt;
  }

  // The field at `*position` of a message that ends at `end`; moves behind it. nullopt: there is none, or it is
  // malformed.
  std::optional<FileField> Next(uint64_t* position, uint64_t end) {
    if (*position >= end) return std::nullopt;
    const std::optional<uint64_t> tag = Varint(position);
    if (!tag.has_value() || *tag > UINT32_MAX) return std::nullopt;
    FileField field{.tag = static_cast<uint32_t>(*tag), .begin = *position, .end = 0};
    std::optional<uint64_t> size;
    switch (wire::TypeOf(field.tag)) {
      case Type::kVarint:
        size = Varint(position).has_value() ? std::optional(*position - field.begin) : std::nullopt;
        break;
      case Type::kFixed64: size = 8; break;
      case Type::kFixed32: size = 4; break;
      case Type::kBytes:
        size = Varint(position);
        field.begin = *position;
        break;
      default: break;
    }
    if (!size.has_value() || *size > end - field.begin || field.begin > end) return std::nullopt;
    *position = field.end = field.begin + *size;
    return field;
  }

 private:
  static constexpr size_t kWindowBytes = 16 << 10;

  bool Fill(uint64_t position) {
    bytes_.resize(kWindowBytes);
    const ssize_t got = file_ < 0 ? 0 : ::pread(file_, bytes_.data(), bytes_.size(), static_cast<off_t>(position));
    begin_ = position;
    bytes_.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return got > 0;
  }

  const int file_;
  uint64_t begin_ = 0;  // of bytes_, in the file
  std::string bytes_;
};

bool Equals(FileWindow& file, const FileField& field, std::string_view text) {
  if (field.end - field.begin != text.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (file.At(field.begin + i) != static_cast<uint8_t>(text[i])) return false;
  }
  return true;
}

bool IsOneOf(FileWindow& file, const FileField& node, std::span<const std::string_view> types) {
  uint64_t at = node.begin;
  while (const auto field = file.Next(&at, node.end)) {
    if (field->tag != kNodeType) continue;
    return std::ranges::any_of(types, [&](std::string_view type) { return Equals(file, *field, type); });
  }
  return false;
}

}  // namespace

bool HasOperator(const std::filesystem::path& path, std::span<const std::string_view> types) {
  FileWindow file(path);
  const uint64_t size = file.size();
  uint64_t model = 0;
  while (const auto graph = file.Next(&model, size)) {
    if (graph->tag != kModelGraph) continue;
    uint64_t at = graph->begin;
    while (const auto node = file.Next(&at, graph->end)) {
      if (node->tag == kGraphNode && IsOneOf(file, *node, types)) return true;
    }
  }
  return false;
}

}  // namespace inferd::onnxruntime
