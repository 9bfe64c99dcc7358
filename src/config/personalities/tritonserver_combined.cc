#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "base/text/ascii_case.h"
#include "base/text/digits.h"
#include "config/option_table/option_value.h"
#include "config/personalities/tritonserver_flags.h"
#include "config/personalities/tritonserver_traces.h"

namespace inferd::config {
namespace {

base::Status CombineTls(const GivenFlags& given, CombinedFlags& combined) {
  struct File {
    std::string_view flag;
    std::string_view option;
    std::string_view switch_flag;  // the flag that enables it
    bool used;
  };
  const bool mutual = given.IsTrue("grpc-use-ssl-mutual");
  const bool tls = mutual || given.IsTrue("grpc-use-ssl");
  const File files[] = {{"grpc-server-cert", "grpc-tls-certificate", "grpc-use-ssl", tls},
                        {"grpc-server-key", "grpc-tls-key", "grpc-use-ssl", tls},
                        {"grpc-root-cert", "grpc-tls-client-ca", "grpc-use-ssl-mutual", mutual}};
  for (const File& file : files) {
    const std::string* path = given.Find(file.flag);
    const std::string flag = "--" + std::string(file.flag);
    const std::string switch_flag = "--" + std::string(file.switch_flag);
    if (file.used && path == nullptr) return base::InvalidArgument(switch_flag + " needs " + flag);
    if (path == nullptr) continue;
    if (file.used) {
      combined.values.push_back({.option = file.option, .value = *path, .origin = flag});
    } else {
      combined.warnings.push_back(flag + " has no effect: it needs " + switch_flag);
    }
  }
  return base::OkStatus();
}

// Checks settings of Triton's Python backend. They have no effect here: workers' memory grows as tensors need it, and
// has no name in the system. But a value that Triton refuses is an error.
base::Status CheckPythonMemory(std::string_view setting, const std::string& value, const std::string& origin) {
  constexpr int64_t kDefaultFewest = int64_t{1} << 20;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  if (setting == "shm-region-prefix-name") {
    // A slash would denote a folder.
    if (!value.empty() && value.find('/') == std::string::npos) return base::OkStatus();
    return base::InvalidArgument(origin + ": expected a name without '/', got '" + value + "'");
  }
  if (setting != "shm-default-byte-size" && setting != "shm-growth-byte-size") return base::OkStatus();
  const auto bytes = ParseInteger(value, std::numeric_limits<int64_t>::min(), kMost);
  if (!bytes.has_value()) return bytes.error().WithContext(origin);
  // Triton's own text says so for less than 1 MiB.
  if (setting == "shm-default-byte-size" && *bytes < kDefaultFewest) {
    return base::InvalidArgument(origin + ": shm-default-byte-size can't be smaller than 4 MiBs (Triton takes 1 MiB, " +
                                 std::to_string(kDefaultFewest) + ", and more), got " + value);
  }
  if (*bytes <= 0) return base::InvalidArgument(origin + ": expected more than 0 bytes, got " + value);
  return base::OkStatus();
}

// Parses [BACKEND,]SETTING=VALUE. The only effective setting says how models are completed, whatever their engine.
base::Status CombineBackendConfig(std::span<const GivenFlag> flags, CombinedFlags& combined) {
  for (const GivenFlag& flag : flags) {
    if (flag.name != "backend-config") continue;
    const size_t equals = flag.value.find('=');
    const std::string_view place = std::string_view(flag.value).substr(0, equals);
    const size_t comma = place.find(',');
    const std::string_view backend = comma == std::string_view::npos ? std::string_view() : place.substr(0, comma);
    const std::string_view setting = comma == std::string_view::npos ? place : place.substr(comma + 1);
    const std::string origin = "--backend-config=" + std::string(place);
    const bool of_python_memory = backend == "python" && setting.starts_with("shm-");
    if (of_python_memory) INFERD_RETURN_IF_ERROR(CheckPythonMemory(setting, flag.value.substr(equals + 1), origin));
    if (setting == "default-max-batch-size" && (backend.empty() || backend == "onnxruntime")) {
      combined.values.push_back(
          {.option = "default-max-batch-size", .value = flag.value.substr(equals + 1), .origin = origin});
    } else if (of_python_memory) {
      combined.warnings.push_back(origin + " has no effect: memory for tensors grows as they need it");
    } else {
      combined.warnings.push_back(origin + " has no effect: engines are set by their models' configurations");
    }
  }
  return base::OkStatus();
}

// The deprecated flag applies if the other one is not given. The last value of each counts.
void CombineCompletion(const GivenFlags& given, CombinedFlags& combined) {
  constexpr std::string_view kFlag = "disable-auto-complete-config";
  constexpr std::string_view kDeprecated = "strict-model-config";
  const std::string* const disable = given.Find(kFlag);
  const std::string* const strict = given.Find(kDeprecated);
  if (strict != nullptr) {
    combined.warnings.emplace_back(disable == nullptr ? "'--strict-model-config' has been deprecated! Please use "
                                                        "'--disable-auto-complete-config' instead."
                                                      : "Overriding deprecated '--strict-model-config' in favor of "
                                                        "'--disable-auto-complete-config'!");
  }
  if (disable == nullptr && strict == nullptr) return;
  combined.values.push_back({.option = "complete-configurations",
                             .value = *(disable == nullptr ? strict : disable) == "true" ? "false" : "true",
                             .origin = "--" + std::string(disable == nullptr ? kDeprecated : kFlag)});
}

// 0 means to read the folders once.
void CombinePolling(const GivenFlags& given, CombinedFlags& combined) {
  const std::string* const seconds = given.Find("repository-poll-secs");
  if (seconds == nullptr) return;
  if (*seconds != "0") {
    combined.values.push_back({.option = "poll-interval", .value = *seconds + "s", .origin = "--repository-poll-secs"});
    return;
  }
  const std::string* const mode = given.Find("model-control-mode");
  if (mode == nullptr || !base::EqualWithoutCase(*mode, "poll")) return;
  combined.values.push_back({.option = "model-control-mode", .value = "none", .origin = "--repository-poll-secs"});
}

// Parses counter_latencies=, histogram_latencies= (which are always enabled), summary_latencies=, and
// summary_quantiles=QUANTILE:ERROR,... (whose errors are fixed here).
base::Status CombineMetrics(std::span<const GivenFlag> flags, CombinedFlags& combined) {
  bool summaries = false;
  std::string_view quantiles = "0.5:0.05,0.9:0.01,0.95:0.001,0.99:0.001,0.999:0.001";
  constexpr std::string_view kFlag = "--metrics-config";
  for (const GivenFlag& flag : flags) {
    if (flag.name != "metrics-config") continue;
    const std::string_view setting = std::string_view(flag.value).substr(0, flag.value.find('='));
    const std::string_view value = std::string_view(flag.value).substr(setting.size() + 1);
    if (setting == "summary_quantiles") {
      quantiles = value;
      continue;
    }
    if (setting != "counter_latencies" && setting != "summary_latencies" && setting != "histogram_latencies") {
      return base::InvalidArgument(std::string(kFlag) + ": unknown setting '" + std::string(setting) + "'");
    }
    const auto on = ParseBool(std::string(value));
    if (!on.has_value()) return on.error().WithContext(std::string(kFlag) + "=" + std::string(setting));
    if (setting == "summary_latencies") summaries = *on;
    if (setting != "counter_latencies") continue;
    combined.values.push_back(
        {.option = "metrics-latency-counters", .value = *on ? "true" : "false", .origin = std::string(kFlag)});
  }
  while (summaries && !quantiles.empty()) {
    const std::string_view pair = quantiles.substr(0, quantiles.find(','));
    combined.values.push_back({.option = "metrics-summary-quantile",
                               .value = std::string(pair.substr(0, pair.find(':'))),
                               .origin = std::string(kFlag) + "=summary_quantiles"});
    quantiles.remove_prefix(std::min(pair.size() + 1, quantiles.size()));
  }
  return base::OkStatus();
}

// Reads the older flag for the local cache.
base::Status CombineCache(const GivenFlags& given, CombinedFlags& combined) {
  const std::string* const bytes = given.Find("response-cache-byte-size");
  if (bytes == nullptr) return base::OkStatus();
  if (given.Find("cache-config") != nullptr) {
    return base::InvalidArgument(
        "Incompatible flags --response-cache-byte-size and --cache-config both provided. Please provide one or the "
        "other.");
  }
  if (*bytes == "0") return base::OkStatus();
  combined.values.push_back(
      {.option = "cache-config", .value = "local,size=" + *bytes, .origin = "--response-cache-byte-size"});
  return base::OkStatus();
}

// Parses DEVICE:FRACTION. It has no effect here, but an invalid value is an error.
base::Status CheckGpuLimits(std::span<const GivenFlag> flags) {
  const std::string flag = "--model-load-gpu-limit";
  for (const GivenFlag& given : flags) {
    if (given.name != "model-load-gpu-limit") continue;
    const size_t colon = given.value.find(':');
    const std::string_view device = std::string_view(given.value).substr(0, colon);
    const std::string_view text = colon == std::string::npos ? "" : std::string_view(given.value).substr(colon + 1);
    double fraction = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fraction);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    const bool is_negative = device.starts_with('-') && base::IsDigits(device.substr(1));
    if (!is_number || !(is_negative || base::IsDigits(device))) {
      return base::InvalidArgument(flag + ": expected DEVICE:FRACTION, got '" + given.value + "'");
    }
    if (is_negative) return base::InvalidArgument(flag + " expects device ID >= 0, got " + std::string(device));
    if (!(fraction >= 0 && fraction <= 1)) {  // also refuses NaN
      return base::InvalidArgument(flag + " expects limit fraction to be in range [0.0, 1.0], got " +
                                   std::string(text));
    }
  }
  return base::OkStatus();
}

// gRPC has no threads of its own here, but a number that Triton refuses is an error.
base::Status CheckGrpcThreads(const GivenFlags& given) {
  constexpr int64_t kFewest = 2;
  constexpr int64_t kMost = 128;
  const std::string* const count = given.Find("grpc-infer-thread-count");
  if (count == nullptr) return base::OkStatus();
  const auto parsed = ParseInteger(*count, kFewest, kMost);
  return parsed.has_value() ? base::OkStatus() : parsed.error().WithContext("--grpc-infer-thread-count");
}

}  // namespace

base::Result<CombinedFlags> CombineTritonserverFlags(const GivenFlags& given) {
  CombinedFlags combined;
  INFERD_RETURN_IF_ERROR(CombineTls(given, combined));
  INFERD_RETURN_IF_ERROR(CheckGpuLimits(given.flags));
  INFERD_RETURN_IF_ERROR(CheckGrpcThreads(given));
  INFERD_RETURN_IF_ERROR(CombineMetrics(given.flags, combined));
  INFERD_RETURN_IF_ERROR(CombineTraces(given, combined));
  INFERD_RETURN_IF_ERROR(CombineBackendConfig(given.flags, combined));
  CombineCompletion(given, combined);
  INFERD_RETURN_IF_ERROR(CombineCache(given, combined));
  CombinePolling(given, combined);
  const std::string* http_address = given.Find("http-address");
  if (http_address != nullptr && given.Find("metrics-address") == nullptr) {
    combined.values.push_back({.option = "metrics-address", .value = *http_address, .origin = "--http-address"});
  }
  return combined;
}

}  // namespace inferd::config
