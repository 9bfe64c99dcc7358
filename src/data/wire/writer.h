#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "base/memory/buffer_slices.h"
#include "data/wire/format.h"

namespace inferd::wire {

// Writes a protobuf message from its last byte to its first: whatever is called first stands last. So a message inside
// is written before its length, which is known by then:
//
//   const size_t end = out.size();
//   out.String(2, datatype);
//   out.String(1, name);
//   out.Message(5, end);
//
// Small things go into a buffer of the writer's, big ones become pieces of the message as they are. Not thread-safe.
class Writer {
 public:
  // `size_hint`: the bytes to expect but for big fields; within it there is one allocation.
  explicit Writer(size_t size_hint);

  // Bytes so far.
  size_t size() const { return done_bytes_ + static_cast<size_t>(run_end_ - at_); }

  void Varint(uint32_t number, uint64_t value);
  void Fixed64(uint32_t number, uint64_t value);
  // With everything else than UTF-8 replaced by U+FFFD, or no client could read the message.
  void String(uint32_t number, std::string_view text);
  // Makes everything that was written since size() was `end` the message in this field.
  void Message(uint32_t number, size_t end);
  // A kBytes field of `size` bytes, to be filled by the caller before the next call.
  std::byte* Bytes(uint32_t number, size_t size);
  // A kBytes field, not copied.
  void Slice(uint32_t number, base::BufferSlice bytes);
  // `size` bytes without a tag or a length: fields that the caller encodes, before the next call.
  std::byte* Raw(size_t size);

  // Hands the message over, in its order.
  base::BufferSlices Take();

 private:
  void RawVarint(uint64_t value) { PutVarint(Raw(VarintSize(value)), value); }
  void Prefix(uint32_t number, Type type) { RawVarint(Tag(number, type)); }
  void EndRun();
  void Grow(size_t size);

  const size_t size_hint_;
  base::BufferSlices pieces_;  // finished ones, the last one first
  size_t done_bytes_ = 0;      // in pieces_
  base::Buffer buffer_;
  std::byte* begin_ = nullptr;    // of buffer_
  std::byte* at_ = nullptr;       // the byte written last
  std::byte* run_end_ = nullptr;  // [at_, run_end_) is no piece yet
};

}  // namespace inferd::wire
