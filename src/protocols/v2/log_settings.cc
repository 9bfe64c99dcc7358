#include "protocols/v2/log_settings.h"

#include <limits>
#include <string>
#include <string_view>

#include "protocols/v2/parameters.h"

namespace inferd::v2 {

namespace {

using core::ParameterValue;

constexpr std::string_view kDefault = "default";
constexpr std::string_view kIso8601 = "ISO8601";

base::Status Fault(std::string_view name, std::string_view fault) {
  return base::InvalidArgument("log setting '" + std::string(name.substr(0, 256)) + "': " + std::string(fault));
}

base::Status ReadFlag(std::string_view name, const ParameterValue& value, std::optional<bool>& flag) {
  const auto* given = std::get_if<bool>(&value);
  if (given == nullptr) return Fault(name, "expected true or false, got " + Describe(value));
  flag = *given;
  return {};
}

base::Status ReadLevel(std::string_view name, const ParameterValue& value, std::optional<int>& level) {
  const std::optional<uint64_t> given = AsUnsigned(value);
  if (!given || *given > std::numeric_limits<int>::max()) {
    return Fault(name, "expected a level from 0 to 2147483647, got " + Describe(value));
  }
  level = static_cast<int>(*given);
  return {};
}

base::Status ReadFormat(std::string_view name, const ParameterValue& value, std::optional<base::LogFormat>& format) {
  if (value == ParameterValue(std::string(kDefault))) {
    format = base::LogFormat::kTriton;
  } else if (value == ParameterValue(std::string(kIso8601))) {
    format = base::LogFormat::kTritonIso8601;
  } else {
    return Fault(name, "expected 'default' or 'ISO8601', got " + Describe(value));
  }
  return {};
}

base::Status ReadSetting(std::string_view name, const ParameterValue& value, LogSettings& settings) {
  if (name == "log_info") return ReadFlag(name, value, settings.info);
  if (name == "log_warning") return ReadFlag(name, value, settings.warning);
  if (name == "log_error") return ReadFlag(name, value, settings.error);
  if (name == "log_verbose_level") return ReadLevel(name, value, settings.verbose_level);
  if (name == "log_format") return ReadFormat(name, value, settings.format);
  if (name == "log_file") return Fault(name, "log file location can not be updated through network protocol");
  return Fault(name, "unknown log setting");
}

}  // namespace

base::Result<LogSettings> ReadLogSettings(const core::Parameters& settings) {
  LogSettings read;
  for (const auto& [name, value] : settings) INFERD_RETURN_IF_ERROR(ReadSetting(name, value, read));
  return read;
}

base::Status ApplyLogSettings(const LogSettings& settings, base::Logger& logger) {
  // "default" also denotes the server's own formats.
  const bool set = !settings.format || logger.SetTritonFormat(*settings.format);
  if (!set && settings.format != base::LogFormat::kTriton) {
    return Fault("log_format", "expected 'default', got 'ISO8601': the log has none of Triton's forms");
  }
  if (settings.info) logger.SetEnabled(base::LogLevel::kInfo, *settings.info);
  if (settings.warning) logger.SetEnabled(base::LogLevel::kWarning, *settings.warning);
  if (settings.error) logger.SetEnabled(base::LogLevel::kError, *settings.error);
  if (settings.verbose_level) logger.SetVerboseLevel(*settings.verbose_level);
  return {};
}

core::Parameters LogSettingsInForce(const base::Logger& logger) {
  return {{"log_file", logger.file()},
          {"log_info", logger.Enabled(base::LogLevel::kInfo)},
          {"log_warning", logger.Enabled(base::LogLevel::kWarning)},
          {"log_error", logger.Enabled(base::LogLevel::kError)},
          {"log_verbose_level", static_cast<uint64_t>(logger.verbose_level())},
          {"log_format", std::string(logger.format() == base::LogFormat::kTritonIso8601 ? kIso8601 : kDefault)}};
}

}  // namespace inferd::v2
