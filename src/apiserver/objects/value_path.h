#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "manifest/value.h"

namespace inferd::apiserver {

// The field that the keys lead to; null: there is none.
inline const manifest::Value* FieldAt(const manifest::Value& value, std::initializer_list<std::string_view> keys) {
  const manifest::Value* found = &value;
  for (const std::string_view key : keys) {
    found = found->Find(key);
    if (found == nullptr) return nullptr;
  }
  return found;
}

// What it says, a string or a number; empty: there is none.
inline std::string TextAt(const manifest::Value& value, std::initializer_list<std::string_view> keys) {
  const manifest::Value* const found = FieldAt(value, keys);
  return found == nullptr ? std::string() : found->text();
}

inline manifest::Value Text(std::string_view text) { return manifest::Value::String(std::string(text)); }

}  // namespace inferd::apiserver
