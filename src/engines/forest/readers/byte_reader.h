#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inferd::forest {

// Reads little-endian values from the front of a file's bytes. Every error is INVALID_ARGUMENT with the position.
class ByteReader final {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  size_t left() const { return bytes_.size() - at_; }

  base::Result<std::string_view> TakeBytes(uint64_t size) {
    INFERD_RETURN_IF_ERROR(Skip(size));
    return bytes_.substr(at_ - size, size);
  }

  template <typename Value>
  base::Result<Value> Take() {
    static_assert(std::endian::native == std::endian::little);
    INFERD_ASSIGN_OR_RETURN(const std::string_view bytes, TakeBytes(sizeof(Value)));
    Value value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }

  // Takes `count` consecutive values. Allocates no more than the file has.
  template <typename Value>
  base::Result<std::vector<Value>> TakeList(uint64_t count) {
    if (count > left() / sizeof(Value)) return std::unexpected(Error("it ends too early"));
    INFERD_ASSIGN_OR_RETURN(const std::string_view bytes, TakeBytes(count * sizeof(Value)));
    std::vector<Value> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  base::Status Skip(uint64_t size) {
    if (size > left()) return Error("it ends too early");
    at_ += size;
    return {};
  }

  // Takes a list preceded by its length, a 64-bit number.
  template <typename Value>
  base::Result<std::vector<Value>> TakeSizedList() {
    INFERD_ASSIGN_OR_RETURN(const auto count, Take<uint64_t>());
    return TakeList<Value>(count);
  }

  template <typename Value>
  base::Status SkipSizedList() {
    INFERD_ASSIGN_OR_RETURN(const auto count, Take<uint64_t>());
    return count > left() / sizeof(Value) ? Error("it ends too early") : Skip(count * sizeof(Value));
  }

  base::Result<std::string> TakeText() {
    INFERD_ASSIGN_OR_RETURN(const auto size, Take<uint64_t>());
    INFERD_ASSIGN_OR_RETURN(const std::string_view text, TakeBytes(size));
    return std::string(text);
  }

  base::Status Error(const std::string& what) const {
    return base::InvalidArgument("byte " + std::to_string(at_) + ": " + what);
  }

 private:
  const std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace inferd::forest
