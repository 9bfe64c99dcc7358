#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "data/wire/format.h"

namespace inferd::wire {

// Reads one protobuf message field by field:
//
//   while (const uint32_t tag = in.Next()) {
//     switch (tag) {
//       case Tag(1, Type::kBytes): name = in.String(); break;
//       default: in.Skip();
//     }
//   }
//   return in.status();
//
// Take each field that Next() returns by exactly one call of a fitting type. Malformed input ends the loop and sets
// status(); values that were read since are empty. The reader accepts what protobuf's own parsers accept, and treats a
// field of the wrong type as an unknown one. It is a view: copies read independently. Not thread-safe.
class Reader {
 public:
  // `message` has the bytes of a whole message, and must outlive the reader.
  explicit Reader(std::string_view message) : origin_(message.data()), p_(message.data()), end_(p_ + message.size()) {}

  // Returns the next field's tag, or 0 at the end.
  uint32_t Next() {
    if (p_ == end_) return 0;
    const auto byte = static_cast<unsigned char>(*p_);
    tag_ = byte < 0x80 ? (++p_, byte) : static_cast<uint32_t>(LongVarint(kTagMax));
    if (NumberOf(tag_) != 0 && TypeOf(tag_) != Type::kEndGroup) [[likely]]
      return tag_;
    return FailTag();
  }

  uint64_t Varint() {
    if (p_ != end_ && static_cast<unsigned char>(*p_) < 0x80) return static_cast<unsigned char>(*p_++);
    return LongVarint(kVarintMax);
  }
  uint32_t Fixed32();
  uint64_t Fixed64();
  std::string_view Bytes();
  std::string_view String();  // Bytes() that must be UTF-8
  Reader Message();
  // As Message(), but only the beginning has to be present.
  Reader Beginning();
  void Skip();

  // Replaces Bytes(): returns their start, counted from the outermost message. Their end need not be present.
  size_t BytesAt();

  // Returns the unread bytes.
  std::string_view rest() const { return {p_, static_cast<size_t>(end_ - p_)}; }

  bool ok() const { return what_ == nullptr; }
  // INVALID_ARGUMENT, with the error and its byte in the outermost message, if something was malformed.
  base::Status status() const;
  // Marks the last read field as malformed.
  void Fail(const char* what);

 private:
  uint64_t LongVarint(size_t bytes_max);
  template <typename T>
  T Fixed();
  uint32_t FailTag();
  void SkipValue(Type type);
  void SkipGroup();

  const char* origin_;  // start of the outermost message
  const char* p_;
  const char* end_;
  const char* what_ = nullptr;
  uint32_t tag_ = 0;
  int depth_left_ = kDepthMax;
};

}  // namespace inferd::wire
