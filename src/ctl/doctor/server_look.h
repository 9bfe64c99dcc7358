#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctl/doctor/finding.h"
#include "ctl/v2_server.h"

namespace inferd::ctl {

// The answers of a server. A server without an index (another program with Predict V2) has no `models`.
struct ServerLook {
  std::string url;
  std::string unreachable;  // the reason; empty if the server answered
  std::string refused;      // why it did not tell its version: it demands a token, or is no V2 server; empty if it did
  std::string name, version;
  bool is_ready = false;
  std::vector<IndexRow> models{};
  int64_t round_trip_ns = 0;               // of one call
  std::optional<int64_t> clock_ahead_s{};  // its clock less ours; nullopt if it sends no Date
};

// Asks the server. Every call is bounded by the client's timeout.
ServerLook LookAtServer(V2Server& server);

// Judges the answers. `must_run` is true if the person named the server; `own_version` is that of this program.
Findings JudgeServer(const ServerLook& look, bool must_run, std::string_view own_version);

// Parses a Date header (RFC 9110, section 5.6.7, IMF-fixdate) as seconds since the Unix epoch.
std::optional<int64_t> ParseHttpDate(const std::string& text);

}  // namespace inferd::ctl
