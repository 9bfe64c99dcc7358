#include "data/manifest/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "base/text/digits.h"

namespace inferd::manifest {

namespace {

constexpr std::string_view kMalformed =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr int64_t kMilli = 1000;
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int kExponentMax = 40;  // beyond it, every number except 0 is out of range or rounded up

// The number digits * 10^decimal * 2^binary.
struct Scaled {
  __int128 digits = 0;
  int decimal = 0;
  int binary = 0;
  bool more = false;  // further digits exist that are too small to be kept
};

struct Suffix {
  std::string_view text;
  int decimal;
  int binary;
};
constexpr std::array<Suffix, 16> kSuffixes = {{{"n", -9, 0},
                                               {"u", -6, 0},
                                               {"m", -3, 0},
                                               {"", 0, 0},
                                               {"k", 3, 0},
                                               {"M", 6, 0},
                                               {"G", 9, 0},
                                               {"T", 12, 0},
                                               {"P", 15, 0},
                                               {"E", 18, 0},
                                               {"Ki", 0, 10},
                                               {"Mi", 0, 20},
                                               {"Gi", 0, 30},
                                               {"Ti", 0, 40},
                                               {"Pi", 0, 50},
                                               {"Ei", 0, 60}}};

bool AddSuffix(std::string_view suffix, Scaled& number) {
  for (const Suffix& known : kSuffixes) {
    if (known.text != suffix) continue;
    number.decimal += known.decimal;
    number.binary += known.binary;
    return true;
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
  suffix.remove_prefix(suffix[1] == '+' ? 2 : 1);
  const bool negative = suffix.starts_with('-');
  if (negative) suffix.remove_prefix(1);
  if (!base::IsDigits(suffix)) return false;
  int exponent = 2 * kExponentMax;
  if (suffix.size() < 4) std::from_chars(suffix.data(), suffix.data() + suffix.size(), exponent);
  number.decimal += negative ? -exponent : exponent;
  return true;
}

// Parses decimal digits with at most one point.
bool AddDigits(std::string_view text, Scaled& number) {
  constexpr __int128 kDigitsMax = static_cast<__int128>(kMax) * 1'000'000'000;
  bool fraction = false;
  bool any = false;
  for (const char c : text) {
    if (c == '.') {
      if (fraction) return false;
      fraction = true;
      continue;
    }
    any = true;
    if (number.digits > kDigitsMax) {  // precise enough
      number.more = number.more || c != '0';
      number.decimal += fraction ? 0 : 1;
      continue;
    }
    number.digits = number.digits * 10 + (c - '0');
    number.decimal -= fraction ? 1 : 0;
  }
  return any;
}

// Returns the number, rounded away from 0 if `up`, else towards it; at most kMax.
int64_t Rounded(Scaled number, bool up) {
  bool rest = number.more;
  __int128 value = number.digits;
  if (value == 0) return 0;
  for (; number.binary > 0 && value <= kMax; --number.binary) value *= 2;
  if (number.binary > 0 && number.decimal >= 0) return kMax;
  number.decimal = std::clamp(number.decimal, -2 * kExponentMax, kExponentMax);
  for (; number.decimal > 0 && value <= kMax; --number.decimal) value *= 10;
  if (number.decimal > 0) return kMax;
  for (; number.decimal < 0; ++number.decimal) {
    // A factor of two that would have overflowed before fits now.
    for (; number.binary > 0 && value <= kMax; --number.binary) value *= 2;
    rest = rest || value % 10 != 0;
    value /= 10;
  }
  for (; number.binary > 0 && value <= kMax; --number.binary) value *= 2;
  value += up && rest ? 1 : 0;
  return value > kMax || number.binary > 0 ? kMax : static_cast<int64_t>(value);
}

}  // namespace

int64_t Quantity::value() const {
  const int64_t whole = milli / kMilli;
  return whole + (milli % kMilli > 0 ? 1 : 0);
}

base::Result<Quantity> ParseQuantity(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const size_t count = std::min(rest.find_first_not_of("0123456789."), rest.size());
  Scaled number{.decimal = 3};
  if (!AddDigits(rest.substr(0, count), number) || !AddSuffix(rest.substr(count), number)) {
    return std::unexpected(base::InvalidArgument(std::string(kMalformed)));
  }
  const int64_t milli = Rounded(number, !negative);
  return Quantity{negative ? -milli : milli};
}

}  // namespace inferd::manifest
