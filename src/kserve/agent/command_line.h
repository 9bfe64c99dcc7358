#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "kserve/agent/agent_options.h"

namespace inferd::agent {

inline constexpr int kExitUsage = 2;  // the command line or the environment is invalid

// A parsed command line: the options to serve with, or an `exit_status` if the program must exit now.
struct ParsedCommandLine {
  AgentOptions options;
  std::optional<std::chrono::milliseconds> probe_period;  // poll a running agent instead of being one
  std::optional<int> exit_status;
};

// Reads the flags of KServe's agent, and the environment variables SERVING_READINESS_PROBE, REVISION_TIMEOUT_SECONDS
// and, for the probe, QUEUE_SERVING_PORT. Writes help and errors to the standard streams.
ParsedCommandLine ParseCommandLine(int argc, const char* const* argv,
                                   const std::function<std::string(const char*)>& environment);

// Parses a Go duration: "10s", "500ms", "1m30s", "0". Nullopt if it is invalid, or longer than a day.
std::optional<std::chrono::milliseconds> ParseGoDuration(std::string_view text);

}  // namespace inferd::agent
