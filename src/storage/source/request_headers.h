#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace inferd::storage {

// The headers of a JSON object whose members are texts; an empty text has none. INVALID_ARGUMENT: it is no such object;
// the message calls it `name`, and has nothing of it, which may be secret.
base::Result<std::vector<std::pair<std::string, std::string>>> ReadRequestHeaders(const std::string& name,
                                                                                  const std::string& json);

}  // namespace inferd::storage
