#include "data/wire/reader.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/text/utf8.h"

namespace inferd::wire {

void Reader::Fail(const char* what) {
  if (what_ == nullptr) what_ = what;
  end_ = p_;
}

base::Status Reader::status() const {
  if (ok()) return {};
  return base::InvalidArgument("the message is not valid protobuf: at byte " + std::to_string(p_ - origin_) + ": " +
                               what_);
}

uint64_t Reader::LongVarint(size_t bytes_max) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes_max; ++i) {
    if (p_ == end_) {
      Fail("it ends inside a number");
      return 0;
    }
    const auto byte = static_cast<unsigned char>(*p_++);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return value;
  }
  Fail("a number has too many bytes");
  return 0;
}

uint32_t Reader::FailTag() {
  Fail(NumberOf(tag_) == 0 ? "a field has the number 0" : "a group ends that did not begin");
  return 0;
}

template <typename T>
T Reader::Fixed() {
  T value = 0;
  if (static_cast<size_t>(end_ - p_) < sizeof value) {
    Fail("it ends inside a number");
    return 0;
  }
  std::memcpy(&value, p_, sizeof value);
  p_ += sizeof value;
  return value;
}

uint32_t Reader::Fixed32() { return Fixed<uint32_t>(); }
uint64_t Reader::Fixed64() { return Fixed<uint64_t>(); }

std::string_view Reader::Bytes() {
  const uint64_t size = LongVarint(kTagMax);
  if (!ok()) return {};
  if (size > static_cast<uint64_t>(end_ - p_)) {
    Fail("a field is longer than its message");
    return {};
  }
  const std::string_view bytes(p_, static_cast<size_t>(size));
  p_ += size;
  return bytes;
}

std::string_view Reader::String() {
  const std::string_view text = Bytes();
  if (base::IsUtf8(text)) return text;
  p_ = text.data();
  Fail("a string is not UTF-8");
  return {};
}

Reader Reader::Message() {
  Reader inner(Bytes());
  inner.origin_ = origin_;
  inner.depth_left_ = depth_left_ - 1;
  if (!ok()) {
    inner = *this;
  } else if (depth_left_ == 0) {
    inner.Fail("messages are nested too deeply");
  }
  return inner;
}

Reader Reader::Beginning() {
  const uint64_t size = LongVarint(kTagMax);
  const auto there = static_cast<size_t>(std::min(size, static_cast<uint64_t>(end_ - p_)));
  Reader inner({p_, there});
  inner.origin_ = origin_;
  inner.depth_left_ = depth_left_ - 1;
  p_ += there;
  if (depth_left_ == 0) inner.Fail("messages are nested too deeply");
  return inner;
}

size_t Reader::BytesAt() {
  LongVarint(kTagMax);
  return static_cast<size_t>(p_ - origin_);
}

void Reader::Skip() { SkipValue(TypeOf(tag_)); }

void Reader::SkipValue(Type type) {
  switch (type) {
    case Type::kVarint: Varint(); return;
    case Type::kFixed64: Fixed64(); return;
    case Type::kBytes: Bytes(); return;
    case Type::kStartGroup: SkipGroup(); return;
    case Type::kFixed32: Fixed32(); return;
    default: Fail("a field has an unknown type");
  }
}

void Reader::SkipGroup() {
  uint32_t open[kDepthMax];  // numbers of the open groups
  int depth = 0;
  uint32_t tag = tag_;
  do {
    if (TypeOf(tag) == Type::kStartGroup) {
      if (depth == depth_left_) return Fail("groups are nested too deeply");
      open[depth++] = NumberOf(tag);
    } else if (TypeOf(tag) == Type::kEndGroup) {
      if (NumberOf(tag) != open[--depth]) return Fail("a group ends that did not begin");
      if (depth == 0) return;
    } else {
      SkipValue(TypeOf(tag));
    }
    tag = static_cast<uint32_t>(LongVarint(kTagMax));
    if (ok() && NumberOf(tag) == 0) Fail("a field has the number 0");
  } while (ok());
}

}  // namespace inferd::wire
