#pragma once

#include <optional>

#include "base/logging.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

// Triton's logging extension.

namespace inferd::v2 {

// Log settings to change; nullopt to keep one.
struct LogSettings {
  std::optional<bool> info;
  std::optional<bool> warning;
  std::optional<bool> error;
  std::optional<int> verbose_level;
  std::optional<base::LogFormat> format;  // one of Triton's
};

// Reads settings by name. INVALID_ARGUMENT, naming the setting, the expected and the actual value, for one that is
// unknown, has the wrong type, or cannot be changed (the file).
base::Result<LogSettings> ReadLogSettings(const core::Parameters& settings);

// Applies all settings or none. INVALID_ARGUMENT for the format "ISO8601" if the log's lines have neither of Triton's
// forms.
base::Status ApplyLogSettings(const LogSettings& settings, base::Logger& logger);

// Returns the current settings as calls that read or change them answer: strings, booleans, and the level unsigned.
core::Parameters LogSettingsInForce(const base::Logger& logger);

}  // namespace inferd::v2
