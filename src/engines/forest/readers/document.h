#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"

namespace inferd::forest {

inline constexpr size_t kDocumentDepthMax = 32;  // nested objects and arrays

// The limit on non-numeric elements of all arrays together: trees, and names of features. One takes up to twenty times
// its size in the file.
inline constexpr size_t kDocumentElementsMax = 1 << 22;

// A value of a JSON or UBJSON document; XGBoost writes the same models in both. Numbers are kept as double: a file's
// float32 values stay exact.
class Document {
 public:
  using Numbers = std::vector<double>;  // an array of numbers only (true and false are 1 and 0), or an empty array
  using Elements = std::vector<Document>;
  using Members = std::vector<std::pair<std::string, Document>>;
  using Value = std::variant<std::monostate, double, std::string, Numbers, Elements, Members>;  // monostate: null

  Document() = default;
  explicit Document(Value value) : value_(std::move(value)) {}

  const Value& value() const { return value_; }

  // Null if this is not an object, or has no such member.
  const Document* Find(std::string_view key) const;

  // Returns the member. INVALID_ARGUMENT, naming it, if it is missing or has another type. XGBoost writes single
  // numbers as text.
  base::Result<const Document*> Get(std::string_view key) const;
  base::Result<std::string> Text(std::string_view key) const;
  base::Result<std::span<const double>> NumberList(std::string_view key) const;
  base::Result<std::span<const Document>> List(std::string_view key) const;
  base::Result<int64_t> Integer(std::string_view key, int64_t min, int64_t max) const;

 private:
  Value value_;
};

// Converts a double that must be a whole number from `min` to `max`.
base::Result<int64_t> ToInteger(double number, int64_t min, int64_t max);

// INVALID_ARGUMENT, with the position, for an error such as more elements than `elements_max`.
base::Result<Document> ParseJson(std::string_view text, size_t elements_max = kDocumentElementsMax);
base::Result<Document> ParseUbjson(std::string_view bytes, size_t elements_max = kDocumentElementsMax);

}  // namespace inferd::forest
