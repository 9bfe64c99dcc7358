#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/json/reader.h"

namespace inferd::json {

// Reads the next value, which must be an object. Calls `member(key)` at each member's value, which it must consume.
// Returns the first error.
template <typename Member>
base::Status ReadObject(Reader& reader, Member member) {
  INFERD_RETURN_IF_ERROR(reader.BeginObject());
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const std::optional<std::string_view> key, reader.NextKey());
    if (!key.has_value()) return {};
    INFERD_RETURN_IF_ERROR(member(*key));
  }
}

// Does the same for an array: calls `element()` at each of its values.
template <typename Element>
base::Status ReadArray(Reader& reader, Element element) {
  INFERD_RETURN_IF_ERROR(reader.BeginArray());
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
    if (!more) return {};
    INFERD_RETURN_IF_ERROR(element());
  }
}

// Reads a whole text that is one object, with `member(reader, key)`. An empty text counts as an empty object.
template <typename Member>
base::Status ReadWholeObject(std::string_view text, Member member) {
  if (text.empty()) return {};
  Reader reader(text);
  INFERD_RETURN_IF_ERROR(ReadObject(reader, [&](std::string_view key) { return member(reader, key); }));
  return reader.Finish();
}

inline base::Status ReadText(Reader& reader, std::string& text) {
  INFERD_ASSIGN_OR_RETURN(const std::string_view value, reader.ReadString());
  text = value;
  return {};
}

}  // namespace inferd::json
