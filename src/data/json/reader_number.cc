#include <fast_float/fast_float.h>

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

#include "data/json/reader.h"
#include "data/json/text.h"

// The reader's numbers.

namespace inferd::json {

namespace {

template <typename T>
bool ParseInteger(std::string_view token, T& value) {
  if (std::is_unsigned_v<T> && token == "-0") token = "0";
  return std::from_chars(token.data(), token.data() + token.size(), value).ec == std::errc();
}

template <typename T>
base::Status IntegerFault(std::string_view token, bool integer) {
  const char* const range = std::is_signed_v<T> ? "a signed 64-bit integer" : "an unsigned 64-bit integer";
  return base::InvalidArgument("expected " + std::string(range) + ", got " + Shorten(token) +
                               (integer ? ", which is out of range" : ""));
}

// Requires a well-formed `token`. Returns false if it is finite but the double is not.
bool ParseDouble(std::string_view token, double& value) {
  fast_float::from_chars(token.data(), token.data() + token.size(), value);
  return std::isfinite(value) || !IsDigit(token.back());
}

}  // namespace

base::Result<std::string_view> Reader::ScanNumberToken(bool* integer) {
  SkipSpace();
  const ScannedNumber scanned = ScanNumber(p_, end_);
  if (scanned.end == nullptr) return ScanNonFinite(integer);
  const std::string_view token(p_, static_cast<size_t>(scanned.end - p_));
  p_ = scanned.end;
  *integer = scanned.integer;
  return token;
}

// Reads a token that counts as a number by the options, or returns an error.
base::Result<std::string_view> Reader::ScanNonFinite(bool* integer) {
  const size_t length = options_.nonfinite_tokens ? NonFiniteLength(p_, end_, options_.short_infinity) : 0;
  if (length == 0) {
    const bool begun = p_ != end_ && (*p_ == '-' || IsDigit(*p_));
    return std::unexpected(begun ? Error("malformed number") : Expected("a number"));
  }
  *integer = false;
  p_ += length;
  return std::string_view(p_ - length, length);
}

base::Result<int64_t> Reader::ReadInt64() {
  bool integer = false;
  INFERD_ASSIGN_OR_RETURN(const std::string_view token, ScanNumberToken(&integer));
  int64_t value = 0;
  if (integer && ParseInteger(token, value)) return value;
  return std::unexpected(ErrorAt(p_ - token.size(), IntegerFault<int64_t>(token, integer).message()));
}

base::Result<uint64_t> Reader::ReadUint64() {
  bool integer = false;
  INFERD_ASSIGN_OR_RETURN(const std::string_view token, ScanNumberToken(&integer));
  uint64_t value = 0;
  if (integer && ParseInteger(token, value)) return value;
  return std::unexpected(ErrorAt(p_ - token.size(), IntegerFault<uint64_t>(token, integer).message()));
}

base::Result<double> Reader::ReadDouble() {
  bool integer = false;
  INFERD_ASSIGN_OR_RETURN(const std::string_view token, ScanNumberToken(&integer));
  double value = 0;
  if (ParseDouble(token, value)) return value;
  return std::unexpected(ErrorAt(p_ - token.size(), Shorten(token) + " is too large for a double"));
}

base::Result<Number> Reader::ReadNumber() {
  bool integer = false;
  INFERD_ASSIGN_OR_RETURN(const std::string_view token, ScanNumberToken(&integer));
  int64_t small = 0;
  uint64_t large = 0;
  double real = 0;
  if (integer && ParseInteger(token, small)) return small;
  if (integer && ParseInteger(token, large)) return large;
  if (ParseDouble(token, real)) return real;
  return std::unexpected(ErrorAt(p_ - token.size(), Shorten(token) + " is too large for a double"));
}

}  // namespace inferd::json
