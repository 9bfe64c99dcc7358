#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

// Messages between the engine and its workers: values in Python's serialization of plain objects (module `marshal`,
// version 2), which the interpreter reads and writes in C. Supports only the types that the messages need.

namespace inferd::python {

// None, bool, int, float, str or bytes, tuple or list.
struct Value {
  using Items = std::vector<Value>;
  std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Items> of;  // uint64_t: beyond int64_t

  // Null if the value has another type.
  const int64_t* number() const { return std::get_if<int64_t>(&of); }
  // nullopt if the value is not a number or is negative.
  std::optional<uint64_t> unsigned_number() const {
    if (const uint64_t* const large = std::get_if<uint64_t>(&of)) return *large;
    const int64_t* const small = number();
    return small != nullptr && *small >= 0 ? std::optional(static_cast<uint64_t>(*small)) : std::nullopt;
  }
  const bool* flag() const { return std::get_if<bool>(&of); }
  const std::string* text() const { return std::get_if<std::string>(&of); }
  const Items* items() const { return std::get_if<Items>(&of); }
};

// Reads one whole message. INVALID_ARGUMENT if it is cut short, has bytes after its end, a type or a size that no
// message has, or too much nesting. The worker runs a user's code: nothing that it sends is trusted.
base::Result<Value> ReadMarshal(std::string_view bytes);

}  // namespace inferd::python
