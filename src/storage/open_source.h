#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// The source that a storage URI names, set up from the environment and the storage specification in it
// (source/storage_config.h). INVALID_ARGUMENT: none has its scheme, or the
// environment is not as it should be; UNIMPLEMENTED: a scheme that is known and not supported.
base::Result<std::unique_ptr<Source>> OpenSource(const std::string& uri, const Environment& given);

}  // namespace inferd::storage
