#include "ctl/doctor/server_look.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "base/clock.h"
#include "base/text/printable.h"
#include "ctl/text/shell_word.h"
#include "ctl/text/table.h"

namespace inferd::ctl {

namespace {

constexpr size_t kModelsShown = 5;
constexpr size_t kTextBytesMax = 300;
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kClockAdvice_s = 5;
constexpr int64_t kClockProblem_s = 300;  // tokens and signed requests to storages are refused
constexpr int64_t kSlowNs = 1 * kSecondNs;

// Reads the difference of the clocks from one answer, whose Date has whole seconds.
void CompareClocks(V2Server& server, ServerLook& look) {
  const base::SystemClock clock;
  const int64_t begin_ns = clock.NowNs();
  const auto response = server.Call({.path = "/v2/health/live"});
  const int64_t wall_ns = clock.WallNs();
  look.round_trip_ns = clock.NowNs() - begin_ns;
  if (!response.has_value()) return;
  const auto date = response->Find("date");
  if (!date.has_value()) return;
  const auto seconds = ParseHttpDate(std::string(*date));
  if (!seconds.has_value()) return;
  // The server wrote the date between the beginning and the end of the call, and cut off the fraction.
  const int64_t earliest_s = (wall_ns - look.round_trip_ns) / kSecondNs;
  const int64_t latest_s = wall_ns / kSecondNs;
  look.clock_ahead_s = *seconds < earliest_s ? *seconds - earliest_s : *seconds > latest_s ? *seconds - latest_s : 0;
}

Finding JudgeClock(const ServerLook& look) {
  using enum Finding::Level;
  if (!look.clock_ahead_s.has_value()) return {"clock", kOk, "the server sends no Date, so it was not compared"};
  const int64_t ahead_s = *look.clock_ahead_s;
  const int64_t distance_s = std::abs(ahead_s);
  if (distance_s <= 1) return {"clock", kOk, "the server's is the same"};
  const std::string found = "the server's is " + std::to_string(distance_s) + " s " +
                            (ahead_s > 0 ? "ahead of" : "behind") + " this machine's";
  if (distance_s < kClockAdvice_s) return {"clock", kOk, found};
  return {"clock", distance_s < kClockProblem_s ? kAdvice : kProblem, found,
          "set both by NTP (timedatectl set-ntp true): tokens, certificates and storages depend on the time"};
}

Finding JudgeModels(const ServerLook& look) {
  using enum Finding::Level;
  size_t ready = 0;
  size_t failed = 0;
  std::string reasons;
  for (const IndexRow& row : look.models) {
    if (row.state == "READY") ++ready;
    if (row.state != "UNAVAILABLE" || row.reason.empty() || row.reason == "unloaded") continue;
    if (++failed > kModelsShown) continue;
    reasons += "; " + base::Printable(row.name, kTextBytesMax) + (row.version.empty() ? "" : " " + row.version) + ": " +
               base::Printable(row.reason, kTextBytesMax);
  }
  if (failed > kModelsShown) reasons += "; and " + std::to_string(failed - kModelsShown) + " more";
  const std::string found = std::to_string(ready) + " of " + std::to_string(look.models.size()) + " versions ready";
  if (failed == 0) return {"models", kOk, found};
  return {"models", kProblem, found + reasons, "inferctl validate MODEL_FOLDER says more"};
}

Finding JudgeVersions(const ServerLook& look, std::string_view own_version) {
  using enum Finding::Level;
  if (!look.refused.empty()) {
    return {"version", kAdvice, "the server does not tell its version: " + look.refused,
            "give the token that it demands (--token-file), or the URL of a server with Predict V2 (--server)"};
  }
  const std::string found =
      base::Printable(look.name, kTextBytesMax) + " " + base::Printable(look.version, kTextBytesMax);
  if (look.name == "inferd" && look.version != own_version) {
    return {"version", kAdvice, found + ", and this inferctl is " + std::string(own_version),
            "use the inferctl of the server's installation, or restart the server after an update"};
  }
  return {"version", kOk, found};
}

}  // namespace

std::optional<int64_t> ParseHttpDate(const std::string& text) {
  static constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  std::array<char, 4> month{};
  int end = 0;
  const int read = std::sscanf(text.c_str(), "%*3[A-Za-z], %2d %3[A-Za-z] %4d %2d:%2d:%2d GMT%n", &utc.tm_mday,
                               month.data(), &utc.tm_year, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &end);
  if (read != 6 || end != static_cast<int>(text.size())) return std::nullopt;
  utc.tm_year -= 1900;
  for (utc.tm_mon = 0; utc.tm_mon < 12; ++utc.tm_mon) {
    if (kMonths[static_cast<size_t>(utc.tm_mon)] == std::string_view(month.data())) return ::timegm(&utc);
  }
  return std::nullopt;
}

ServerLook LookAtServer(V2Server& server) {
  ServerLook look{.url = server.url(), .unreachable = {}, .refused = {}, .name = {}, .version = {}};
  const base::Result<bool> live = server.Healthy("/v2/health/live");
  if (!live.has_value()) {
    look.unreachable = live.error().message();
    return look;
  }
  CompareClocks(server, look);
  if (base::Result<ServerInfo> info = server.Info(); info.has_value()) {
    look.name = info->name;
    look.version = info->version;
  } else {
    look.refused = base::Printable(info.error().message(), kTextBytesMax);
  }
  look.is_ready = server.Healthy("/v2/health/ready").value_or(false);
  if (auto index = server.Index(/*ready_only=*/false); index.has_value()) look.models = *std::move(index);
  return look;
}

Findings JudgeServer(const ServerLook& look, bool must_run, std::string_view own_version) {
  using enum Finding::Level;
  if (!look.unreachable.empty()) {
    return {{"server", must_run ? kProblem : kOk, "none answers: " + look.unreachable,
             must_run ? "start it: inferd models; or give its address: --server URL" : ""}};
  }
  Findings findings;
  const std::string time = DurationText(static_cast<double>(look.round_trip_ns));
  if (!look.is_ready) {
    findings.push_back({"server", kProblem, look.url + " answers, and is not ready",
                        "see the reason of each model: inferctl models --url " + ShellWord(look.url)});
  } else if (look.round_trip_ns > kSlowNs) {
    findings.push_back({"server", kAdvice, look.url + " answers a health check after " + time,
                        "the network or the server is busy: inferctl bench MODEL measures it"});
  } else {
    findings.push_back({"server", kOk, look.url + " is ready, and answers in " + time});
  }
  findings.push_back(JudgeVersions(look, own_version));
  if (!look.models.empty()) findings.push_back(JudgeModels(look));
  findings.push_back(JudgeClock(look));
  return findings;
}

}  // namespace inferd::ctl
