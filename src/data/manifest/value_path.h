#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "data/manifest/value.h"

namespace inferd::manifest {

// Returns the field that the keys lead to, such as {"metadata", "uid"}, or null if there is none. All functions are
// thread-safe.
inline const Value* FieldAt(const Value& value, std::initializer_list<std::string_view> keys) {
  const Value* found = &value;
  for (const std::string_view key : keys) {
    found = found->Find(key);
    if (found == nullptr) return nullptr;
  }
  return found;
}

// Returns the field's text, a string or a number. Empty if there is none.
inline const std::string& TextAt(const Value& value, std::initializer_list<std::string_view> keys) {
  static const std::string kEmpty;
  const Value* const found = FieldAt(value, keys);
  return found == nullptr ? kEmpty : found->text();
}

inline Value Text(std::string_view text) { return Value::String(std::string(text)); }

}  // namespace inferd::manifest
