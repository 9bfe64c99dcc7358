#include "config/personalities/tritonserver_traces.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace inferd::config {
namespace {

// A setting, and the option that it is. Levels are read together.
struct Setting {
  std::string_view name;
  std::string_view option;
  std::string_view unit = {};  // behind the value
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

constexpr Setting kOlder[] = {
    {"trace-file", "trace-file"},
    {"trace-rate", "trace-rate"},
    {"trace-count", "trace-count"},
    {"trace-log-frequency", "trace-log-frequency"},
};

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
    given_ = true;
    if (value == "TENSORS") {
      tensors_ = true;
    } else if (value == "TIMESTAMPS" || value == "MIN" || value == "MAX") {
      timestamps_ = true;
    } else if (value != "OFF") {
      return base::InvalidArgument(origin + ": expected OFF, TIMESTAMPS or TENSORS, got '" + std::string(value) + "'");
    }
    return {};
  }

  void End() {
    if (!given_) return;
    const std::string_view level = tensors_ && timestamps_ ? "all"
                                   : tensors_              ? "tensors"
                                   : timestamps_           ? "timestamps"
                                                           : "off";
    combined_.values.push_back(
        {.option = "trace-level", .value = std::string(level), .origin = "--trace-config=level"});
  }

 private:
  base::Status AddMode(std::string_view value) {
    if (value != "triton" && value != "opentelemetry") {
      return base::InvalidArgument("--trace-config=mode: expected triton or opentelemetry, got '" + std::string(value) +
                                   "'");
    }
    combined_.values.push_back(
        {.option = "trace-mode", .value = value == "triton" ? "file" : "otlp", .origin = "--trace-config=mode"});
    return {};
  }

  CombinedFlags& combined_;
  bool given_ = false;
  bool timestamps_ = false;
  bool tensors_ = false;
};

}  // namespace

base::Status CombineTraces(const GivenFlags& given, CombinedFlags& combined) {
  TraceCombination traces(combined);
  for (const GivenFlag& flag : given.flags) {
    if (flag.name == "trace-level") INFERD_RETURN_IF_ERROR(traces.AddLevel("--trace-level", flag.value));
    const auto* const older = std::ranges::find(kOlder, flag.name, &Setting::name);
    if (older != std::end(kOlder)) {
      combined.values.push_back({.option = older->option, .value = flag.value, .origin = "--" + flag.name});
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
