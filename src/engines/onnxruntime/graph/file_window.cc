#include "engines/onnxruntime/graph/file_window.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "data/wire/format.h"

namespace inferd::onnxruntime {

namespace {

using wire::Type;

constexpr size_t kWindowBytes = 16 << 10;

}  // namespace

FileWindow::FileWindow(const std::filesystem::path& file) : file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}

FileWindow::~FileWindow() {
  if (file_ >= 0) ::close(file_);
}

uint64_t FileWindow::size() const {
  const off_t end = file_ < 0 ? 0 : ::lseek(file_, 0, SEEK_END);
  return end < 0 ? 0 : static_cast<uint64_t>(end);
}

std::optional<uint8_t> FileWindow::At(uint64_t position) {
  if (position - begin_ >= bytes_.size() && !Fill(position)) return std::nullopt;
  return static_cast<uint8_t>(bytes_[position - begin_]);
}

// Takes the varint at `*position` and moves behind it.
std::optional<uint64_t> FileWindow::Varint(uint64_t* position) {
  uint64_t value = 0;
  for (size_t i = 0; i < wire::kVarintMax; ++i) {
    const std::optional<uint8_t> byte = At((*position)++);
    if (!byte.has_value()) return std::nullopt;
    value |= static_cast<uint64_t>(*byte & 0x7f) << (7 * i);
    if (*byte < 0x80) return value;
  }
  return std::nullopt;
}

std::optional<FileField> FileWindow::Next(uint64_t* position, uint64_t end) {
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

std::optional<FileField> FileWindow::Find(const FileField& message, uint32_t tag) {
  uint64_t at = message.begin;
  while (const auto field = Next(&at, message.end)) {
    if (field->tag == tag) return field;
  }
  return std::nullopt;
}

std::string FileWindow::Text(const FileField& field, size_t bytes_max) {
  std::string text;
  for (uint64_t at = field.begin; at < field.end && text.size() < bytes_max; ++at) {
    const std::optional<uint8_t> byte = At(at);
    if (!byte.has_value()) break;
    text += static_cast<char>(*byte);
  }
  return text;
}

bool FileWindow::Fill(uint64_t position) {
  bytes_.resize(kWindowBytes);
  const ssize_t got = file_ < 0 ? 0 : ::pread(file_, bytes_.data(), bytes_.size(), static_cast<off_t>(position));
  begin_ = position;
  bytes_.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

}  // namespace inferd::onnxruntime
