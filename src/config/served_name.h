#pragma once

#include <string>

#include "base/status.h"

namespace inferd::config {

// INVALID_ARGUMENT if the name of an explicitly served model is not printable UTF-8 of at most 255 bytes.
base::Status CheckServedName(const std::string& model);

}  // namespace inferd::config
