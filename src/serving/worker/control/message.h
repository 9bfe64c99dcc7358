#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "data/tensor/shape.h"
#include "serving/core/request/infer_request.h"

namespace inferd::worker {

// What the two processes tell each other besides tensors' bytes: fields in an order that both know, since both are of
// one build. Numbers as they lie in memory.

class MessageWriter final {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T>
  void Add(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void AddText(std::string_view text) {
    Add(static_cast<uint64_t>(text.size()));
    text_ += text;
  }
  void AddShape(const tensor::Shape& shape);
  void AddParameters(const core::Parameters& parameters);
  void AddSequence(const core::Sequence& sequence);

  std::string_view text() const { return text_; }
  void Clear() { text_.clear(); }

 private:
  std::string text_;
};

// Reads what may be garbage: past the end, or after a wrong field, every field is zero or empty and ok() is false.
// Views into the message.
class MessageReader final {
 public:
  explicit MessageReader(std::string_view text) : text_(text) {}

  template <typename T>
    requires std::is_arithmetic_v<T>
  T Take() {
    T value = {};
    if (const std::string_view bytes = TakeBytes(sizeof(T)); ok_) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  bool TakeBool() { return Take<uint8_t>() != 0; }
  std::string_view TakeText() { return TakeBytes(Take<uint64_t>()); }
  // How many elements follow, each of `element_bytes_min` or more: never more than the message can hold.
  size_t TakeCount(size_t element_bytes_min);
  // At most tensor::kRankMax dimensions, each `dim_min` or more.
  tensor::Shape TakeShape(int64_t dim_min);
  // At most `count_max`.
  core::Parameters TakeParameters(size_t count_max = SIZE_MAX);
  core::Sequence TakeSequence();

  void Refuse() { ok_ = false; }
  bool ok() const { return ok_; }
  // Whether all of it was read, and nothing else.
  bool Finished() const { return ok_ && text_.empty(); }

 private:
  std::string_view TakeBytes(uint64_t size);

  std::string_view text_;
  bool ok_ = true;
};

}  // namespace inferd::worker
