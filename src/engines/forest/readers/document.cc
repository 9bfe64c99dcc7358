#include "engines/forest/readers/document.h"

#include <charconv>
#include <cmath>

namespace inferd::forest {

namespace {

base::Status WrongMember(std::string_view key, std::string_view what) {
  return base::InvalidArgument("'" + std::string(key) + "' " + std::string(what));
}

}  // namespace

const Document* Document::Find(std::string_view key) const {
  const auto* const members = std::get_if<Members>(&value_);
  if (members == nullptr) return nullptr;
  for (const auto& [name, member] : *members) {
    if (name == key) return &member;
  }
  return nullptr;
}

base::Result<const Document*> Document::Get(std::string_view key) const {
  const Document* const found = Find(key);
  if (found == nullptr) return std::unexpected(WrongMember(key, "is missing"));
  return found;
}

base::Result<std::string> Document::Text(std::string_view key) const {
  INFERD_ASSIGN_OR_RETURN(const Document* const found, Get(key));
  const auto* const text = std::get_if<std::string>(&found->value_);
  if (text == nullptr) return std::unexpected(WrongMember(key, "is no string"));
  return *text;
}

base::Result<std::span<const double>> Document::NumberList(std::string_view key) const {
  INFERD_ASSIGN_OR_RETURN(const Document* const found, Get(key));
  const auto* const numbers = std::get_if<Numbers>(&found->value_);
  if (numbers == nullptr) return std::unexpected(WrongMember(key, "is no array of numbers"));
  return std::span<const double>(*numbers);
}

base::Result<std::span<const Document>> Document::List(std::string_view key) const {
  INFERD_ASSIGN_OR_RETURN(const Document* const found, Get(key));
  if (const auto* const numbers = std::get_if<Numbers>(&found->value_); numbers != nullptr && numbers->empty()) {
    return std::span<const Document>();
  }
  const auto* const elements = std::get_if<Elements>(&found->value_);
  if (elements == nullptr) return std::unexpected(WrongMember(key, "is no array of objects"));
  return std::span<const Document>(*elements);
}

base::Result<int64_t> Document::Integer(std::string_view key, int64_t min, int64_t max) const {
  INFERD_ASSIGN_OR_RETURN(const Document* const found, Get(key));
  double number = NAN;
  if (const auto* const as_number = std::get_if<double>(&found->value_); as_number != nullptr) {
    number = *as_number;
  } else if (const auto* const text = std::get_if<std::string>(&found->value_); text != nullptr) {
    const char* const end = text->data() + text->size();
    if (const auto [rest, error] = std::from_chars(text->data(), end, number); rest != end || error != std::errc()) {
      return std::unexpected(WrongMember(key, "is '" + *text + "', which is no number"));
    }
  }
  auto integer = ToInteger(number, min, max);
  if (!integer) return std::unexpected(WrongMember(key, integer.error().message()));
  return *integer;
}

base::Result<int64_t> ToInteger(double number, int64_t min, int64_t max) {
  if (number >= static_cast<double>(min) && number <= static_cast<double>(max) && number == std::floor(number)) {
    return static_cast<int64_t>(number);
  }
  return std::unexpected(base::InvalidArgument("is " + std::to_string(number) + ", which is no whole number from " +
                                               std::to_string(min) + " to " + std::to_string(max)));
}

}  // namespace inferd::forest
