#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/wire/format.h"

// Writes small messages, front to back into a string. wire::Writer is for messages that are sent.

namespace inferd::wire {

inline void AppendVarint(uint64_t value, std::string* message) {
  for (; value >= 0x80; value >>= 7) message->push_back(static_cast<char>(value | 0x80));
  message->push_back(static_cast<char>(value));
}

// Appends field `number`, a varint: an integer, an enum, a bool.
inline void AppendNumber(uint32_t number, int64_t value, std::string* message) {
  AppendVarint(Tag(number, Type::kVarint), message);
  AppendVarint(static_cast<uint64_t>(value), message);
}

inline void AppendFloat(uint32_t number, float value, std::string* message) {
  AppendVarint(Tag(number, Type::kFixed32), message);
  message->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

inline void AppendDouble(uint32_t number, double value, std::string* message) {
  AppendVarint(Tag(number, Type::kFixed64), message);
  message->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Appends field `number`: bytes, text, a message or packed elements.
inline void AppendBytes(uint32_t number, std::string_view value, std::string* message) {
  AppendVarint(Tag(number, Type::kBytes), message);
  AppendVarint(value.size(), message);
  message->append(value);
}

}  // namespace inferd::wire
