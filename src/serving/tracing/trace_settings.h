#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "config/options/trace_options.h"
#include "serving/core/tracing.h"

namespace inferd::tracing {

// The settings of tracing.
struct TraceSettings {
  config::TraceLevel level = config::TraceLevel::kOff;
  uint64_t rate = 1000;        // one of this many requests; 0 means only those that are traced elsewhere already
  int64_t count = -1;          // in total; -1 means no limit
  uint64_t log_frequency = 0;  // traces per file; 0 means all in one

  bool on() const { return level != config::TraceLevel::kOff && count != 0; }
  bool operator==(const TraceSettings&) const = default;
};

// Settings for some requests that differ from the general ones.
struct TraceOverrides {
  std::optional<config::TraceLevel> level = {};
  std::optional<uint64_t> rate = {};
  std::optional<int64_t> count = {};
  std::optional<uint64_t> log_frequency = {};

  TraceSettings Over(TraceSettings settings) const;
  bool empty() const { return !level && !rate && !count && !log_frequency; }
};

// Applies changes by the names of Triton's trace extension: `trace_level`, `trace_rate`, `trace_count`,
// `log_frequency`. Applies all of them or none. UNIMPLEMENTED for `trace_file` and `trace_mode`. INVALID_ARGUMENT for
// an unknown setting or an invalid value.
base::Status Apply(const core::Tracing::Changes& changes, TraceOverrides& overrides);

// Returns the four settings in the form of an answer to such a call.
core::Tracing::Settings Describe(const TraceSettings& settings);

}  // namespace inferd::tracing
