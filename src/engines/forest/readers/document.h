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

inline constexpr size_t kDocumentDepthMax = 32;  // objects and arrays in one another

// Elements that are no numbers, of all arrays together: trees, and names of features. One takes twenty times the memory
// that it may have in the file.
inline constexpr size_t kDocumentElementsMax = 1 << 22;

// A value of a JSON or UBJSON document, which XGBoost writes the same models as. Numbers are kept as double: what the
// file has as float32 stays exactly that.
class Document {
 public:
  using Numbers = std::vector<double>;  // an array of nothing but numbers (true and false are 1 and 0); an empty array
  using Elements = std::vector<Document>;
  using Members = std::vector<std::pair<std::string, Document>>;
  using Value = std::variant<std::monostate, double, std::string, Numbers, Elements, Members>;  // monostate: null

  Document() = default;
  explicit Document(Value value) : value_(std::move(value)) {}

  const Value& value() const { return value_; }

  // Null: this is no object, or has no such member.
  const Document* Find(std::string_view key) const;

  // The member; INVALID_ARGUMENT naming it: it is not there, or something else. XGBoost writes single numbers as text.
  base::Result<const Document*> Get(std::string_view key) const;
  base::Result<std::string> Text(std::string_view key) const;
  base::Result<std::span<const double>> NumberList(std::string_view key) const;
  base::Result<std::span<const Document>> List(std::string_view key) const;
  base::Result<int64_t> Integer(std::string_view key, int64_t min, int64_t max) const;

 private:
  Value value_;
};

// A double that is to be a whole number from `min` to `max`.
base::Result<int64_t> ToInteger(double number, int64_t min, int64_t max);

// INVALID_ARGUMENT with the place of what is wrong: more elements than `elements_max`, for example.
base::Result<Document> ParseJson(std::string_view text, size_t elements_max = kDocumentElementsMax);
base::Result<Document> ParseUbjson(std::string_view bytes, size_t elements_max = kDocumentElementsMax);

}  // namespace inferd::forest
