#include "config/personalities/tritonserver_traces.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/text/ascii_case.h"
#include "config/options/trace_levels.h"

namespace inferd::config {
namespace {

// A setting, and its option. Levels are read together.
struct Setting {
  std::string_view name;
  std::string_view option;
  std::string_view unit = {};  // appended to the value
};

constexpr Setting kSettings[] = {
    {"rate", "trace-rate"},
    {"count", "trace-count"},
    {"triton,file", "trace-file"},
    {"triton,log-frequency", "trace-log-frequency"},
    {"opentelemetry,url", "trace-otlp-url"},
    {"opentelemetry,resource", "trace-otlp-resource"},
    {"opentelemetry,bsp_max_queue_size", "trace-otlp-queue-max"},
    {"opentelemetry,bsp_schedule_delay", "trace-otlp-delay", "ms"},
    {"opentelemetry,bsp_max_export_batch_size", "trace-otlp-batch-max"},
};

// The levels that the flags take, in any case, and their names in the trace extension.
constexpr std::pair<std::string_view, std::string_view> kLevels[] = {
    {"off", "OFF"},       {"false", "OFF"},      {"timestamps", "TIMESTAMPS"}, {"true", "TIMESTAMPS"},
    {"on", "TIMESTAMPS"}, {"min", "TIMESTAMPS"}, {"max", "TIMESTAMPS"},        {"tensors", "TENSORS"},
};

// Older flags, which have the options' names.
constexpr std::string_view kOlder[] = {"trace-file", "trace-rate", "trace-count", "trace-log-frequency"};

// Returns the level in the form of --trace-level.
std::string LevelText(TraceLevel level) {
  switch (level) {
    case TraceLevel::kAll: return "all";
    case TraceLevel::kTensors: return "tensors";
    case TraceLevel::kTimestamps: return "timestamps";
    default: return "off";
  }
}

class TraceCombination final {
 public:
  explicit TraceCombination(CombinedFlags& combined) : combined_(combined) {}

  base::Status Add(std::string_view setting, std::string_view value) {
    if (setting == "level") return AddLevel("--trace-config=level", value);
    if (setting == "mode") return AddMode(value);
    const auto* const known = std::ranges::find(kSettings, setting, &Setting::name);
    if (known == std::end(kSettings)) {
      return base::InvalidArgument("--trace-config: unknown setting '" + std::string(setting) + "'");
    }
    combined_.values.push_back({.option = known->option,
                                .value = std::string(value) + std::string(known->unit),
                                .origin = "--trace-config=" + std::string(setting)});
    return {};
  }

  base::Status AddLevel(std::string origin, std::string_view value) {
    for (const auto& [name, level] : kLevels) {
      if (base::EqualWithoutCase(value, name)) {
        levels_.Add(level);
        return {};
      }
    }
    return base::InvalidArgument(origin + ": expected OFF, TIMESTAMPS or TENSORS, got '" + std::string(value) + "'");
  }

  void End() {
    if (levels_.empty()) return;
    combined_.values.push_back(
        {.option = "trace-level", .value = LevelText(levels_.level()), .origin = "--trace-config=level"});
  }

 private:
  base::Status AddMode(std::string_view value) {
    const bool triton = base::EqualWithoutCase(value, "triton");
    if (!triton && !base::EqualWithoutCase(value, "opentelemetry")) {
      return base::InvalidArgument("--trace-config=mode: expected triton or opentelemetry, got '" + std::string(value) +
                                   "'");
    }
    combined_.values.push_back(
        {.option = "trace-mode", .value = triton ? "file" : "otlp", .origin = "--trace-config=mode"});
    return {};
  }

  CombinedFlags& combined_;
  TraceLevels levels_;
};

}  // namespace

base::Status CombineTraces(const GivenFlags& given, CombinedFlags& combined) {
  TraceCombination traces(combined);
  for (const GivenFlag& flag : given.flags) {
    if (flag.name == "trace-level") INFERD_RETURN_IF_ERROR(traces.AddLevel("--trace-level", flag.value));
    const auto* const older = std::ranges::find(kOlder, flag.name);
    if (older != std::end(kOlder)) {
      combined.values.push_back({.option = *older, .value = flag.value, .origin = "--" + flag.name});
    }
    if (flag.name != "trace-config") continue;
    const size_t equals = flag.value.find('=');
    INFERD_RETURN_IF_ERROR(
        traces.Add(std::string_view(flag.value).substr(0, equals), std::string_view(flag.value).substr(equals + 1)));
  }
  traces.End();
  return {};
}

}  // namespace inferd::config
