#pragma once

#include <optional>

#include "base/logging.h"
#include "base/status.h"
#include "serving/core/request/infer_request.h"

// Triton's logging extension.

namespace inferd::v2 {

// Log settings to change; nullopt: as they are.
struct LogSettings {
  std::optional<bool> info;
  std::optional<bool> warning;
  std::optional<bool> error;
  std::optional<int> verbose_level;
  std::optional<base::LogFormat> format;  // one of Triton's
};

// Reads settings by name. INVALID_ARGUMENT naming the setting, expected and got: one that is unknown, of the wrong
// type, or cannot be changed (the file).
base::Result<LogSettings> ReadLogSettings(const core::Parameters& settings);

// All or nothing. INVALID_ARGUMENT: the format, "ISO8601", is none for a log whose lines have neither of Triton's
// forms.
base::Status ApplyLogSettings(const LogSettings& settings, base::Logger& logger);

// The settings in force, as calls that read or change them are answered: strings, booleans, and the level unsigned.
core::Parameters LogSettingsInForce(const base::Logger& logger);

}  // namespace inferd::v2
