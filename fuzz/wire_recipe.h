#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "data/wire/format.h"

namespace inferd::fuzz {

// Makes messages from any bytes: reads choices from the bytes, and writes fields with correct lengths.
class WireRecipe {
 public:
  explicit WireRecipe(std::string_view bytes) : rest_(bytes) {}

 protected:
  using Type = wire::Type;

  bool done() const { return rest_.empty(); }

  uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }

  std::string Bytes() {
    const std::string_view bytes = rest_.substr(0, Byte() % 16);
    rest_.remove_prefix(bytes.size());
    return std::string(bytes);
  }

  static void Append(std::string& out, uint64_t varint) {
    std::byte bytes[wire::kVarintMax];
    const std::byte* end = wire::PutVarint(bytes, varint);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
  }

  static void AppendField(std::string& out, uint32_t number, std::string_view bytes) {
    Append(out, wire::Tag(number, Type::kBytes));
    Append(out, bytes.size());
    out += bytes;
  }

 private:
  std::string_view rest_;
};

}  // namespace inferd::fuzz
