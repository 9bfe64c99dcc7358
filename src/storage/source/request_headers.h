#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace inferd::storage {

// Reads headers from a JSON object whose members are texts; an empty text has none. INVALID_ARGUMENT if it is not such
// an object; the message has `name`, and nothing of the text, which may be secret.
base::Result<std::vector<std::pair<std::string, std::string>>> ReadRequestHeaders(const std::string& name,
                                                                                  const std::string& json);

}  // namespace inferd::storage
