#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "data/tensor/data_type.h"
#include "data/tensorjson/data_fault.h"
#include "data/tensorjson/decimal.h"
#include "data/tensorjson/parse.h"
#include "data/tensorjson/short_integers.h"

// Codecs of DataParser for the datatypes of fixed size.

namespace inferd::tensorjson {

// Returns the reason for which [p, end), which does not begin with an acceptable element, is refused: "expected <what>,
// got ...".
std::string NumberFault(const char* p, const char* end, std::string_view what);

// Returns the kind of the error for an element that is no integer of T. An integer out of range is of the right type.
template <std::integral T>
DataFault IntegerFault(const char* p) {
  const bool negative = *p == '-';
  const char* behind = p + (negative ? 1 : 0);
  const char* const digits = behind;
  while (json::IsDigit(*behind)) ++behind;
  const bool integer = behind != digits && *behind != '.' && (*behind | 0x20) != 'e';
  if constexpr (std::signed_integral<T>) return integer ? DataFault::kOther : DataFault::kNotASignedInteger;
  return integer && !negative ? DataFault::kOther : DataFault::kNotAnUnsignedInteger;
}

// Integers, exact: without fraction, exponent and leading zeros.
template <std::integral T>
class IntegerCodec {
 public:
  using Out = T;

  static constexpr uint32_t kShortMax =
      static_cast<uint32_t>(std::min<uint64_t>(std::numeric_limits<T>::max(), kShortIntegerMax));
  static T FromShort(uint32_t value) { return static_cast<T>(value); }

  const char* Read(const char* p, const char* /*end*/, T*& out) const {
    const bool negative = *p == '-';
    if (negative) ++p;
    const char* const first = p;
    uint64_t value = 0;
    for (; json::IsDigit(*p); ++p) value = value * 10 + static_cast<uint64_t>(*p - '0');
    const auto digits = p - first;
    if (digits == 0 || (*first == '0' && digits > 1) || *p == '.' || (*p | 0x20) == 'e') return nullptr;
    // 20 digits may exceed 2^64: a number that wrapped around is below 10^19 now, or begins with a digit above 1.
    if (digits > 20 || (digits == 20 && (*first != '1' || value < 10'000'000'000'000'000'000u))) return nullptr;
    constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<T>::max());
    if (value > kMax + (negative && std::signed_integral<T> ? 1 : 0)) return nullptr;
    if (negative && std::unsigned_integral<T> && value != 0) return nullptr;
    *out++ = static_cast<T>(negative ? 0 - value : value);
    return p;
  }

  static DataFault FaultKind(const char* p) { return IntegerFault<T>(p); }

  std::string Fault(const char* p, const char* end) const {
    return NumberFault(p, end,
                       "an integer from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
                           std::to_string(std::numeric_limits<T>::max()));
  }
};

// Any 32-bit integer, of which the low bits are kept.
template <std::integral T>
class CutIntegerCodec {
 public:
  using Out = T;

  static constexpr uint32_t kShortMax = kShortIntegerMax;
  static T FromShort(uint32_t value) { return static_cast<T>(value); }

  const char* Read(const char* p, const char* end, T*& out) const {
    int32_t whole = 0;
    int32_t* to = &whole;
    p = IntegerCodec<int32_t>().Read(p, end, to);
    if (p != nullptr) *out++ = static_cast<T>(whole);
    return p;
  }

  std::string Fault(const char* p, const char* end) const { return IntegerCodec<int32_t>().Fault(p, end); }
};

class BoolCodec {
 public:
  using Out = uint8_t;

  const char* Read(const char* p, const char* end, uint8_t*& out) const {
    const std::string_view rest(p, static_cast<size_t>(end - p));
    const bool value = *p == 't';
    const std::string_view word = value ? "true" : "false";
    if (!rest.starts_with(word)) return nullptr;
    *out++ = value ? 1 : 0;
    return p + word.size();
  }

  static DataFault FaultKind(const char* p) {
    return *p == 't' || *p == 'f' ? DataFault::kOther : DataFault::kNotABool;
  }

  std::string Fault(const char* p, const char* end) const { return NumberFault(p, end, "true or false"); }
};

// The storage and conversion of each floating-point datatype.
template <tensor::DataType kType>
struct FloatFormat;

template <>
struct FloatFormat<tensor::DataType::kFp32> {
  using Bits = uint32_t;
  static constexpr Bits kInfinity = 0x7F800000, kNan = 0x7FC00000, kSign = 0x80000000;
  static Bits From(const Decimal& d, std::string_view token) { return std::bit_cast<Bits>(ToFloat(d, token)); }
  static Bits FromWhole(uint32_t value) { return std::bit_cast<Bits>(static_cast<float>(static_cast<int32_t>(value))); }
};

template <>
struct FloatFormat<tensor::DataType::kFp64> {
  using Bits = uint64_t;
  static constexpr Bits kInfinity = 0x7FF0000000000000, kNan = 0x7FF8000000000000, kSign = 0x8000000000000000;
  static Bits From(const Decimal& d, std::string_view token) { return std::bit_cast<Bits>(ToDouble(d, token)); }
  static Bits FromWhole(uint32_t value) { return std::bit_cast<Bits>(static_cast<double>(value)); }
};

template <>
struct FloatFormat<tensor::DataType::kFp16> {
  using Bits = uint16_t;
  static constexpr Bits kInfinity = 0x7C00, kNan = 0x7E00, kSign = 0x8000;
  static Bits From(const Decimal& d, std::string_view token) { return ToHalf(d, token); }
};

template <>
struct FloatFormat<tensor::DataType::kBf16> {
  using Bits = uint16_t;
  static constexpr Bits kInfinity = 0x7F80, kNan = 0x7FC0, kSign = 0x8000;
  static Bits From(const Decimal& d, std::string_view token) { return ToBf16(d, token); }
};

template <tensor::DataType kType>
class FloatCodec {
 public:
  using Format = FloatFormat<kType>;
  using Out = typename Format::Bits;

  // A float's 24 bits hold them all exactly.
  static constexpr uint32_t kShortMax = kShortIntegerMax;
  static Out FromShort(uint32_t value) requires requires { Format::FromWhole(value); }
  { return Format::FromWhole(value); }

  explicit FloatCodec(const ParseOptions& options) : options_(options) {}

  const char* Read(const char* p, const char* end, Out*& out) const {
    Decimal decimal;
    const char* const behind = ScanDecimal(p, end, decimal);
    if (behind == nullptr) return ReadNonFinite(p, end, out);
    const Out bits = Format::From(decimal, {p, static_cast<size_t>(behind - p)});
    if ((bits & static_cast<Out>(~Format::kSign)) == Format::kInfinity) return nullptr;
    *out++ = bits;
    return behind;
  }

  static DataFault FaultKind(const char* p) {
    return json::IsDigit(*p) || *p == '-' ? DataFault::kOther : DataFault::kNotANumber;
  }

  std::string Fault(const char* p, const char* end) const {
    return NumberFault(p, end, "a number that " + std::string(tensor::DataTypeName(kType)) + " can hold");
  }

 private:
  const char* ReadNonFinite(const char* p, const char* end, Out*& out) const {
    const std::string_view rest(p, static_cast<size_t>(end - p));
    struct Word {
      std::string_view text;
      Out bits;
      bool accepted;
    };
    const std::array<Word, 9> words = {{
        {"NaN", Format::kNan, options_.nonfinite_tokens},
        {"Infinity", Format::kInfinity, options_.nonfinite_tokens},
        {"-Infinity", Format::kInfinity | Format::kSign, options_.nonfinite_tokens},
        {"Inf", Format::kInfinity, options_.short_infinity},
        {"-Inf", Format::kInfinity | Format::kSign, options_.short_infinity},
        {"\"NaN\"", Format::kNan, options_.nonfinite_strings},
        {"\"Infinity\"", Format::kInfinity, options_.nonfinite_strings},
        {"\"-Infinity\"", Format::kInfinity | Format::kSign, options_.nonfinite_strings},
        {"null", Format::kNan, options_.null_as_nan},
    }};
    for (const Word& word : words) {
      if (!word.accepted || !rest.starts_with(word.text)) continue;
      *out++ = word.bits;
      return p + word.text.size();
    }
    return nullptr;
  }

  const ParseOptions options_;
};

// FP32 from any number that a double holds. Numbers that are too large become infinite.
class OverflowingFloatCodec {
 public:
  using Out = uint32_t;

  explicit OverflowingFloatCodec(const ParseOptions& options) : fp32_(options), fp64_(options) {}

  const char* Read(const char* p, const char* end, Out*& out) const {
    if (const char* const behind = fp32_.Read(p, end, out); behind != nullptr) return behind;
    uint64_t wide = 0;
    uint64_t* to = &wide;
    const char* const behind = fp64_.Read(p, end, to);
    if (behind == nullptr) return nullptr;
    using Format = FloatFormat<tensor::DataType::kFp32>;
    *out++ = Format::kInfinity | (*p == '-' ? Format::kSign : 0);
    return behind;
  }

  std::string Fault(const char* p, const char* end) const { return fp64_.Fault(p, end); }

 private:
  const FloatCodec<tensor::DataType::kFp32> fp32_;
  const FloatCodec<tensor::DataType::kFp64> fp64_;
};

}  // namespace inferd::tensorjson
