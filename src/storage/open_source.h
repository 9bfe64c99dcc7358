#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// Returns the source that a storage URI names, configured by the environment and the storage specification in it
// (source/storage_config.h). INVALID_ARGUMENT if the scheme is unknown, or the environment is invalid. UNIMPLEMENTED if
// the scheme is known but not supported.
base::Result<std::unique_ptr<Source>> OpenSource(const std::string& uri, const Environment& given);

}  // namespace inferd::storage
