#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "config/options/trace_options.h"
#include "serving/core/tracing.h"

namespace inferd::tracing {

// How requests are traced.
struct TraceSettings {
  config::TraceLevel level = config::TraceLevel::kOff;
  uint64_t rate = 1000;        // one of so many requests; 0: only those that are traced elsewhere already
  int64_t count = -1;          // so many in all; -1: without limit
  uint64_t log_frequency = 0;  // traces of a file; 0: all in one

  bool on() const { return level != config::TraceLevel::kOff && count != 0; }
  bool operator==(const TraceSettings&) const = default;
};

// What is set of them for some requests; the rest is as elsewhere.
struct TraceOverrides {
  std::optional<config::TraceLevel> level = {};
  std::optional<uint64_t> rate = {};
  std::optional<int64_t> count = {};
  std::optional<uint64_t> log_frequency = {};

  TraceSettings Over(TraceSettings settings) const;
  bool empty() const { return !level && !rate && !count && !log_frequency; }
};

// Triton's trace extension: `trace_level`, `trace_rate`, `trace_count`, `log_frequency`; `trace_file` and `trace_mode`
// are UNIMPLEMENTED. INVALID_ARGUMENT: another setting, or no such value. All or nothing.
base::Status Apply(const core::Tracing::Changes& changes, TraceOverrides& overrides);

// The four as calls are answered.
core::Tracing::Settings Describe(const TraceSettings& settings);

}  // namespace inferd::tracing
