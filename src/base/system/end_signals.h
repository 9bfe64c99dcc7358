#pragma once

#include "base/system/file_descriptor.h"

namespace inferd::base {

// SIGINT and SIGTERM, as a descriptor that has something to be read when one has come. Blocks both, and ignores
// SIGPIPE, for this thread and all that begin later: before any other.
FileDescriptor TakeEndSignals();

}  // namespace inferd::base
