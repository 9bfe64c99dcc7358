#include "serving/tracing/trace_settings.h"

#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/text/printable.h"
#include "config/options/trace_levels.h"

namespace inferd::tracing {

namespace {

using config::TraceLevel;
using Values = std::vector<std::string>;

base::Status Fault(std::string_view name, std::string_view fault) {
  return base::InvalidArgument("trace setting " + base::QuotedName(name) + ": " + std::string(fault));
}

base::Result<TraceLevel> ReadLevel(std::string_view name, const Values& values) {
  config::TraceLevels levels;
  for (const std::string& value : values) {
    if (levels.Add(value)) continue;
    return std::unexpected(Fault(name, "expected OFF, TIMESTAMPS or TENSORS, got " + base::QuotedName(value)));
  }
  if (levels.empty()) return std::unexpected(Fault(name, "expected at least one level"));
  if (levels.contradicts()) return std::unexpected(Fault(name, "OFF stands alone"));
  return levels.level();
}

template <typename Number>
base::Result<Number> ReadNumber(std::string_view name, const Values& values, Number min) {
  if (values.size() != 1) {
    return std::unexpected(Fault(name, "expected one value, got " + std::to_string(values.size())));
  }
  const std::string& text = values.front();
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < min ||
      number > static_cast<Number>(std::numeric_limits<uint32_t>::max())) {
    return std::unexpected(
        Fault(name, "expected a number from " + std::to_string(min) + " to 4294967295, got " + base::QuotedName(text)));
  }
  return number;
}

base::Status ApplyOne(std::string_view name, const std::optional<Values>& values, TraceOverrides& overrides) {
  if (name == "trace_file") {
    return base::Unimplemented("trace file location can not be updated through network protocol");
  }
  if (name == "trace_mode") return base::Unimplemented("trace mode can not be updated through network protocol");
  if (name == "trace_level") {
    overrides.level.reset();
    if (values.has_value()) {
      INFERD_ASSIGN_OR_RETURN(overrides.level, ReadLevel(name, *values));
    }
  } else if (name == "trace_rate") {
    overrides.rate.reset();
    if (values.has_value()) {
      INFERD_ASSIGN_OR_RETURN(overrides.rate, ReadNumber<uint64_t>(name, *values, 0));
    }
  } else if (name == "trace_count") {
    overrides.count.reset();
    if (values.has_value()) {
      INFERD_ASSIGN_OR_RETURN(overrides.count, ReadNumber<int64_t>(name, *values, -1));
    }
  } else if (name == "log_frequency") {
    overrides.log_frequency.reset();
    if (values.has_value()) {
      INFERD_ASSIGN_OR_RETURN(overrides.log_frequency, ReadNumber<uint64_t>(name, *values, 0));
    }
  } else {
    return Fault(name, "unknown trace setting");
  }
  return {};
}

Values LevelTexts(TraceLevel level) {
  switch (level) {
    case TraceLevel::kOff: return {"OFF"};
    case TraceLevel::kTimestamps: return {"TIMESTAMPS"};
    case TraceLevel::kTensors: return {"TENSORS"};
    case TraceLevel::kAll: return {"TIMESTAMPS", "TENSORS"};
  }
  return {};
}

}  // namespace

TraceSettings TraceOverrides::Over(TraceSettings settings) const {
  settings.level = level.value_or(settings.level);
  settings.rate = rate.value_or(settings.rate);
  settings.count = count.value_or(settings.count);
  settings.log_frequency = log_frequency.value_or(settings.log_frequency);
  return settings;
}

base::Status Apply(const core::Tracing::Changes& changes, TraceOverrides& overrides) {
  TraceOverrides changed = overrides;
  for (const auto& [name, values] : changes) INFERD_RETURN_IF_ERROR(ApplyOne(name, values, changed));
  overrides = changed;
  return {};
}

core::Tracing::Settings Describe(const TraceSettings& settings) {
  return {{"trace_level", LevelTexts(settings.level)},
          {"trace_rate", {std::to_string(settings.rate)}},
          {"trace_count", {std::to_string(settings.count)}},
          {"log_frequency", {std::to_string(settings.log_frequency)}}};
}

}  // namespace inferd::tracing
