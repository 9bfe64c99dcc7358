#include "kserve/apiserver/logs/log_times.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace inferd::apiserver {

namespace {

// Returns an RFC 3339 time in UTC, with nanoseconds.
std::string TextOf(std::chrono::system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
  const std::time_t whole = std::chrono::system_clock::to_time_t(seconds);
  std::tm parts{};
  gmtime_r(&whole, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 16> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%09lldZ ", static_cast<long long>(rest.count()));
  return std::string(text.data()) + fraction.data();
}

}  // namespace

std::string WithTimes(std::string_view text, uint64_t begin, bool line_begins, const std::vector<LogMoment>& moments) {
  if (moments.empty()) return std::string(text);
  std::string timed;
  auto moment = moments.begin();
  for (size_t at = 0; at < text.size();) {
    while (std::next(moment) != moments.end() && std::next(moment)->place <= begin + at) ++moment;
    if (at > 0 || line_begins) timed += TextOf(moment->time);
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    timed.append(text, at, end - at);
    at = end;
  }
  return timed;
}

}  // namespace inferd::apiserver
