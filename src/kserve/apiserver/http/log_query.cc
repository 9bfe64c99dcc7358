#include "kserve/apiserver/http/log_query.h"

#include <algorithm>
#include <ctime>
#include <string>
#include <string_view>

#include "kserve/apiserver/logs/log_times.h"
#include "kserve/model/api/pod_spec.h"

namespace inferd::apiserver {

namespace {

constexpr int64_t kSecondsMax = int64_t{100} * 365 * 24 * 3600;

// Returns the last lines of a text.
std::string_view Tail(std::string_view text, int64_t lines) {
  size_t at = text.size();
  if (at > 0 && text[at - 1] == '\n') --at;
  for (; lines > 0 && at != std::string_view::npos && at > 0; --lines) at = text.rfind('\n', at - 1);
  if (lines > 0 || at == std::string_view::npos || at == 0) return text;
  return text.substr(at == text.size() ? at : at + 1);
}

ApiResult<std::optional<int64_t>> ReadCount(const Query& query, std::string_view name) {
  if (query.Get(name).empty()) return std::nullopt;
  const auto count = query.GetNumber(name);
  if (count.has_value()) return count;
  return std::unexpected(BadRequestError(std::string(name) + ": must be a number from 0 on"));
}

// Parses an RFC 3339 time. Fractions of a second are ignored.
std::optional<std::chrono::system_clock::time_point> ReadTime(const std::string& text) {
  std::tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  if (*rest == '.') {
    for (++rest; *rest >= '0' && *rest <= '9'; ++rest) continue;
  }
  std::tm zone{};
  rest = strptime(rest, "%z", &zone);
  if (rest == nullptr || *rest != '\0') return std::nullopt;
  return std::chrono::system_clock::from_time_t(timegm(&parts) - zone.tm_gmtoff);
}

}  // namespace

ApiResult<LogQuery> ReadLogQuery(const Query& query, std::chrono::system_clock::time_point now) {
  LogQuery chosen;
  chosen.choice.previous = query.IsTrue("previous");
  chosen.timestamps = query.IsTrue("timestamps");
  const auto tail = ReadCount(query, "tailLines");
  if (!tail.has_value()) return std::unexpected(tail.error());
  const auto bytes = ReadCount(query, "limitBytes");
  if (!bytes.has_value()) return std::unexpected(bytes.error());
  const auto seconds = ReadCount(query, "sinceSeconds");
  if (!seconds.has_value()) return std::unexpected(seconds.error());
  chosen.tail_lines = *tail;
  chosen.bytes_max = *bytes;
  const std::string since(query.Get("sinceTime"));
  if (seconds->has_value() && !since.empty()) {
    return std::unexpected(BadRequestError("at most one of `sinceTime` or `sinceSeconds` may be specified"));
  }
  if (seconds->has_value()) {
    chosen.choice.since = now - std::chrono::seconds(std::min(**seconds, kSecondsMax));
  } else if (!since.empty()) {
    chosen.choice.since = ReadTime(since);
    if (!chosen.choice.since.has_value())
      return std::unexpected(BadRequestError("sinceTime: must be a time of RFC 3339"));
  }
  return chosen;
}

ApiResult<LogPart> ReadChosenLog(const LogSource& source, const ApiPath& path, const LogQuery& query) {
  const auto span = source.FindLog(path.namespace_name, path.name, query.choice);
  auto part = source.ReadLog(path.namespace_name, path.name, span.has_value() ? span->begin : 0);
  if (!part.has_value()) return std::unexpected(NotFoundError(*path.type, path.name));
  if (!span.has_value()) {
    return std::unexpected(BadRequestError("previous terminated container \"" + std::string(model::kServingContainer) +
                                           "\" in pod \"" + std::string(path.name) + "\" not found"));
  }
  const uint64_t begin = part->next - part->text.size();
  if (span->end.has_value()) {
    part->text.resize(static_cast<size_t>(std::max(*span->end, begin) - begin));
    part->ended = true;
  }
  const size_t whole = part->text.size();
  if (query.tail_lines.has_value()) part->text = std::string(Tail(part->text, *query.tail_lines));
  if (query.timestamps) part->text = WithTimes(part->text, begin + whole - part->text.size(), true, part->moments);
  if (query.bytes_max.has_value() && static_cast<uint64_t>(*query.bytes_max) < part->text.size()) {
    part->text.resize(static_cast<size_t>(*query.bytes_max));
    part->ended = true;
  }
  return *std::move(part);
}

}  // namespace inferd::apiserver
