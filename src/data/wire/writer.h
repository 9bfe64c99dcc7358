#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/memory/buffer_slices.h"
#include "data/wire/format.h"

namespace inferd::wire {

// Writes a protobuf message from its last byte to its first: fields stand in the reverse order of the calls. So an
// inner message is written before its length, which is then known:
//
//   const size_t end = out.size();
//   out.String(2, datatype);
//   out.String(1, name);
//   out.Message(5, end);
//
// Small fields go into a buffer of the writer's; big ones become pieces of the message without a copy. Not thread-safe.
class Writer {
 public:
  // `size_hint` is the expected size without big fields; within it there is one allocation.
  explicit Writer(size_t size_hint);

  // Returns the bytes written so far.
  size_t size() const { return done_bytes_ + static_cast<size_t>(run_end_ - at_); }

  void Varint(uint32_t number, uint64_t value);
  void Fixed64(uint32_t number, uint64_t value);
  // Writes text, with U+FFFD for malformed UTF-8, which would make the message unreadable for clients.
  void String(uint32_t number, std::string_view text);
  // Makes everything written since size() was `end` the message in this field.
  void Message(uint32_t number, size_t end);
  // Writes a kBytes field of `size` bytes, which the caller must fill before the next call.
  std::byte* Bytes(uint32_t number, size_t size);
  // Writes a kBytes field without a copy.
  void Slice(uint32_t number, base::BufferSlice bytes);
  // Writes `size` bytes without a tag or a length. The caller must encode fields there before the next call.
  std::byte* Raw(size_t size);

  // Hands over the message, in its order.
  base::BufferSlices Take();

 private:
  void RawVarint(uint64_t value) { PutVarint(Raw(VarintSize(value)), value); }
  void Prefix(uint32_t number, Type type) { RawVarint(Tag(number, type)); }
  void EndRun();
  void Grow(size_t size);

  const size_t size_hint_;
  base::BufferSlices pieces_;  // finished pieces, last one first
  size_t done_bytes_ = 0;      // in pieces_
  base::Buffer buffer_;
  std::byte* begin_ = nullptr;    // of buffer_
  std::byte* at_ = nullptr;       // the byte that was written last
  std::byte* run_end_ = nullptr;  // [at_, run_end_) is not a piece yet
};

}  // namespace inferd::wire
