#include "data/manifest/plain_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "data/json/text.h"

namespace inferd::manifest {

namespace {

constexpr std::array<std::string_view, 5> kNulls = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 6> kNotFinite = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};

template <typename Words>
bool IsOneOf(std::string_view text, const Words& words) {
  return std::ranges::find(words, text) != words.end();
}

// Parses an integer without sign whose prefix states its base (0x, 0o, 0b, or 0 for octal). nullopt if it is not one.
std::optional<uint64_t> PrefixedInteger(std::string_view digits) {
  if (digits.size() < 2 || digits[0] != '0') return std::nullopt;
  int base = 8;
  size_t prefix = 1;
  switch (digits[1]) {
    case 'x':
    case 'X': base = 16, prefix = 2; break;
    case 'b':
    case 'B': base = 2, prefix = 2; break;
    case 'o':
    case 'O': prefix = 2; break;
    default: break;
  }
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [parsed, error] = std::from_chars(digits.data() + prefix, end, value, base);
  if (error != std::errc() || parsed != end) return std::nullopt;
  return value;
}

// Converts a decimal number of YAML, `[0-9]*(\.[0-9]*)?([eE][-+]?[0-9]+)?` with a digit before the exponent, to JSON's
// form. nullopt if it is not one.
std::optional<std::string> DecimalNumber(std::string_view text) {
  const auto take_digits = [&] {
    const size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, count);
    text.remove_prefix(count);
    return digits;
  };
  std::string_view whole = take_digits();
  std::string_view fraction;
  const bool point = text.starts_with('.');
  if (point) {
    text.remove_prefix(1);
    fraction = take_digits();
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  std::string number = whole.empty() ? "0" : std::string(whole);
  if (point) number += "." + (fraction.empty() ? "0" : std::string(fraction));
  if (text.empty()) return number;
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  number += text[0];
  text.remove_prefix(1);
  if (text.starts_with('+') || text.starts_with('-')) {
    number += text[0];
    text.remove_prefix(1);
  }
  const std::string_view exponent = take_digits();
  if (exponent.empty() || !text.empty()) return std::nullopt;
  return number + std::string(exponent);
}

std::optional<std::string> NumberText(std::string_view written) {
  const json::ScannedNumber scanned = json::ScanNumber(written.data(), written.data() + written.size());
  if (scanned.end == written.data() + written.size()) return std::string(written);
  std::string text(written);
  std::erase(text, '_');
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const std::string sign = negative ? "-" : "";
  if (const auto integer = PrefixedInteger(digits)) return sign + std::to_string(*integer);
  const auto decimal = DecimalNumber(digits);
  if (!decimal.has_value()) return std::nullopt;
  return sign + *decimal;
}

}  // namespace

std::optional<Value> ResolvePlainScalar(std::string_view text) {
  if (IsOneOf(text, kNulls)) return Value();
  if (IsOneOf(text, kTrue)) return Value::Bool(true);
  if (IsOneOf(text, kFalse)) return Value::Bool(false);
  const bool numeric = (text[0] >= '0' && text[0] <= '9') || text[0] == '.' || text[0] == '-' || text[0] == '+';
  if (!numeric) return Value::String(std::string(text));
  const std::string_view unsigned_text = text[0] == '-' || text[0] == '+' ? text.substr(1) : text;
  if (IsOneOf(unsigned_text, kNotFinite)) return std::nullopt;
  if (auto number = NumberText(text)) return Value::Number(*std::move(number));
  return Value::String(std::string(text));
}

bool IsPlainString(std::string_view text) {
  const auto value = ResolvePlainScalar(text);
  return value.has_value() && value->is(Kind::kString);
}

}  // namespace inferd::manifest
