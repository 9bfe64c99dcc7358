#include "config/option_table/option_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>

#include "base/text/ascii_case.h"

namespace inferd::config {
namespace {

struct Unit {
  std::string_view name;
  uint64_t factor;
};

constexpr std::array kByteUnits = {Unit{"GiB", 1 << 30},   Unit{"MiB", 1 << 20}, Unit{"KiB", 1 << 10},
                                   Unit{"G", 1 << 30},     Unit{"M", 1 << 20},   Unit{"K", 1 << 10},
                                   Unit{"GB", 1000000000}, Unit{"MB", 1000000},  Unit{"KB", 1000},
                                   Unit{"B", 1},           Unit{"", 1}};
constexpr std::array kTimeUnits = {Unit{"h", 3'600'000}, Unit{"m", 60'000}, Unit{"s", 1'000}, Unit{"ms", 1},
                                   Unit{"", 1'000}};

base::Status Mismatch(std::string_view expected, std::string_view text) {
  return base::InvalidArgument("expected " + std::string(expected) + ", got '" + std::string(text) + "'");
}

// Parses a whole number with a unit after it. Returns false if it is malformed, or beyond 2^63 - 1.
bool ParseScaled(std::string_view text, std::span<const Unit> units, uint64_t& value) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  std::string_view unit(end, text.data() + text.size());
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto it = std::ranges::find(units, unit, &Unit::name);
  if (it == units.end()) return false;
  if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / it->factor) return false;
  value = number * it->factor;
  return true;
}

std::string PrintScaled(uint64_t value, std::span<const Unit> units, uint64_t least) {
  for (const Unit& unit : units) {
    if (unit.factor < least || value == 0 || value % unit.factor != 0) continue;
    return std::to_string(value / unit.factor) + std::string(unit.name);
  }
  return std::to_string(value);
}

}  // namespace

base::Result<bool> ParseBool(std::string_view text) {
  for (const std::string_view yes : {"true", "on", "yes", "1"}) {
    if (base::EqualWithoutCase(text, yes)) return true;
  }
  for (const std::string_view no : {"false", "off", "no", "0"}) {
    if (base::EqualWithoutCase(text, no)) return false;
  }
  return std::unexpected(Mismatch("true or false", text));
}

base::Result<int64_t> ParseInteger(std::string_view text, int64_t min, int64_t max) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < min || value > max) {
    return std::unexpected(Mismatch("a whole number from " + std::to_string(min) + " to " + std::to_string(max), text));
  }
  return value;
}

base::Result<uint64_t> ParseBytes(std::string_view text) {
  uint64_t value = 0;
  if (!ParseScaled(text, kByteUnits, value)) return std::unexpected(Mismatch("bytes, such as 512KiB or 1GiB", text));
  return value;
}

base::Result<std::chrono::milliseconds> ParseDuration(std::string_view text) {
  // A year: more is a typing mistake, and sums of deadlines must not overflow.
  constexpr uint64_t kLongestMs = uint64_t{366} * 24 * 3'600'000;
  uint64_t value = 0;
  if (!ParseScaled(text, kTimeUnits, value) || value > kLongestMs) {
    return std::unexpected(Mismatch("a time, such as 500ms or 2s", text));
  }
  return std::chrono::milliseconds(value);
}

std::string PrintBytes(uint64_t bytes) { return PrintScaled(bytes, std::span(kByteUnits).first(3), 1 << 10); }

std::string PrintDuration(std::chrono::milliseconds duration) {
  const auto ms = static_cast<uint64_t>(duration.count());
  return ms == 0 ? "0s" : PrintScaled(ms, std::span(kTimeUnits).subspan(2, 2), 1);
}

}  // namespace inferd::config
