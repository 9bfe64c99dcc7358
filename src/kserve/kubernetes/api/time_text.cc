#include "kserve/kubernetes/api/time_text.h"

#include <charconv>
#include <chrono>

#include "base/text/digits.h"

namespace inferd::kubernetes {

namespace {

constexpr int kYearMin = 1970;
constexpr int kYearMax = 2200;
constexpr int64_t kNsPerSecond = 1'000'000'000;

// Removes a number with exactly that many digits from the beginning of the text.
std::optional<int> TakeNumber(std::string_view& text, size_t digits) {
  const std::string_view taken = text.substr(0, digits);
  if (taken.size() != digits || !base::IsDigits(taken)) return std::nullopt;
  int number = 0;
  std::from_chars(taken.data(), taken.data() + taken.size(), number);
  text.remove_prefix(digits);
  return number;
}

bool TakeCharacter(std::string_view& text, char a, char b) {
  if (text.empty() || (text.front() != a && text.front() != b)) return false;
  text.remove_prefix(1);
  return true;
}

// Removes a fraction such as ".5", and returns it in nanoseconds. Finer digits are dropped.
std::optional<int64_t> TakeFraction(std::string_view& text) {
  if (!TakeCharacter(text, '.', '.')) return 0;
  int64_t ns = 0;
  int64_t unit = kNsPerSecond / 10;
  size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
    ns += unit * (text[digits] - '0');
    unit /= 10;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return ns;
}

// Returns the offset from UTC in seconds; positive means ahead.
std::optional<int64_t> TakeOffset(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.empty()) return std::nullopt;
  const char sign = text.front();
  if (!TakeCharacter(text, '+', '-')) return std::nullopt;
  const auto hours = TakeNumber(text, 2);
  if (!hours.has_value() || *hours > 23 || !TakeCharacter(text, ':', ':')) return std::nullopt;
  const auto minutes = TakeNumber(text, 2);
  if (!minutes.has_value() || *minutes > 59 || !text.empty()) return std::nullopt;
  const int64_t seconds = (int64_t{60} * *hours + *minutes) * 60;
  return sign == '-' ? -seconds : seconds;
}

}  // namespace

std::optional<int64_t> ParseTime(std::string_view text) {
  const auto year = TakeNumber(text, 4);
  if (!year.has_value() || *year < kYearMin || *year > kYearMax || !TakeCharacter(text, '-', '-')) return std::nullopt;
  const auto month = TakeNumber(text, 2);
  if (!month.has_value() || !TakeCharacter(text, '-', '-')) return std::nullopt;
  const auto day = TakeNumber(text, 2);
  if (!day.has_value() || !TakeCharacter(text, 'T', 't')) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  const auto hour = TakeNumber(text, 2);
  if (!date.ok() || !hour.has_value() || *hour > 23 || !TakeCharacter(text, ':', ':')) return std::nullopt;
  const auto minute = TakeNumber(text, 2);
  if (!minute.has_value() || *minute > 59 || !TakeCharacter(text, ':', ':')) return std::nullopt;
  const auto second = TakeNumber(text, 2);
  if (!second.has_value() || *second > 60) return std::nullopt;
  const auto fraction = TakeFraction(text);
  const auto offset = TakeOffset(text);
  if (!fraction.has_value() || !offset.has_value()) return std::nullopt;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t seconds = ((days * 24 + *hour) * 60 + *minute) * 60 + *second - *offset;
  return seconds * kNsPerSecond + *fraction;
}

}  // namespace inferd::kubernetes
