#include "data/wire/writer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "base/text/utf8.h"

namespace inferd::wire {

Writer::Writer(size_t size_hint) : size_hint_(size_hint) { Grow(0); }

void Writer::EndRun() {
  if (at_ == run_end_) return;
  const auto size = static_cast<size_t>(run_end_ - at_);
  pieces_.emplace_back(buffer_, at_, size);
  done_bytes_ += size;
  run_end_ = at_;
}

void Writer::Grow(size_t size) {
  EndRun();
  buffer_ = base::Buffer::Allocate(size + size_hint_);
  begin_ = buffer_.data();
  at_ = run_end_ = begin_ + buffer_.size();
}

std::byte* Writer::Raw(size_t size) {
  if (static_cast<size_t>(at_ - begin_) < size) Grow(size);
  return at_ -= size;
}

void Writer::Varint(uint32_t number, uint64_t value) {
  RawVarint(value);
  Prefix(number, Type::kVarint);
}

void Writer::Fixed64(uint32_t number, uint64_t value) {
  std::memcpy(Raw(sizeof value), &value, sizeof value);
  Prefix(number, Type::kFixed64);
}

void Writer::String(uint32_t number, std::string_view text) {
  if (!base::IsUtf8(text)) [[unlikely]]
    return String(number, base::ReplaceMalformedUtf8(text));
  std::byte* out = Bytes(number, text.size());
  if (!text.empty()) std::memcpy(out, text.data(), text.size());
}

void Writer::Message(uint32_t number, size_t end) {
  RawVarint(size() - end);
  Prefix(number, Type::kBytes);
}

std::byte* Writer::Bytes(uint32_t number, size_t size) {
  std::byte* out = Raw(size);
  RawVarint(size);
  Prefix(number, Type::kBytes);
  return out;
}

void Writer::Slice(uint32_t number, base::BufferSlice bytes) {
  const size_t size = bytes.size();
  if (size > 0) {
    EndRun();
    pieces_.push_back(std::move(bytes));
    done_bytes_ += size;
  }
  RawVarint(size);
  Prefix(number, Type::kBytes);
}

base::BufferSlices Writer::Take() {
  EndRun();
  std::ranges::reverse(pieces_);
  return std::move(pieces_);
}

}  // namespace inferd::wire
