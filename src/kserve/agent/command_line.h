#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "kserve/agent/agent_options.h"

namespace inferd::agent {

inline constexpr int kExitUsage = 2;  // the command line or the environment is wrong

// What a command line asks for: to serve by `options`, or, with `exit_status`, that all is said already.
struct ParsedCommandLine {
  AgentOptions options;
  std::optional<std::chrono::milliseconds> probe_period;  // to ask a running agent, in place of being one
  std::optional<int> exit_status;
};

// Reads the flags of KServe's agent, and of the environment SERVING_READINESS_PROBE, REVISION_TIMEOUT_SECONDS and, for
// the probe, QUEUE_SERVING_PORT. Writes help and faults to the standard streams.
ParsedCommandLine ParseCommandLine(int argc, const char* const* argv,
                                   const std::function<std::string(const char*)>& environment);

// "10s", "500ms", "1m30s", "0": as Go reads durations. nullopt: it is none, or longer than a day.
std::optional<std::chrono::milliseconds> ParseGoDuration(std::string_view text);

}  // namespace inferd::agent
