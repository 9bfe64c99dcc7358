#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "data/tensor/shape.h"
#include "serving/core/request/infer_request.h"

namespace inferd::worker {

// The messages between the two processes: fields in a fixed order that both sides know, since both are of one build.
// Numbers are in the machine's byte order.

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

// Reads a message that may be garbage: after the end or a wrong field, every field is zero or empty and ok() is false.
// Returns views into the message.
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
  // Returns the number of elements that follow, each of at least `element_bytes_min` bytes. Never more than the message
  // can hold.
  size_t TakeCount(size_t element_bytes_min);
  // Reads at most tensor::kRankMax dimensions, each at least `dim_min`.
  tensor::Shape TakeShape(int64_t dim_min);
  // Reads at most `count_max` parameters.
  core::Parameters TakeParameters(size_t count_max = SIZE_MAX);
  core::Sequence TakeSequence();

  void Refuse() { ok_ = false; }
  bool ok() const { return ok_; }
  // Returns true if the whole message was read without an error and nothing is left.
  bool Finished() const { return ok_ && text_.empty(); }

 private:
  std::string_view TakeBytes(uint64_t size);

  std::string_view text_;
  bool ok_ = true;
};

}  // namespace inferd::worker
