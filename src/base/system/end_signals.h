#pragma once

#include "base/system/file_descriptor.h"

namespace inferd::base {

// Returns a descriptor that becomes readable when SIGINT or SIGTERM arrives. Blocks both signals, and ignores SIGPIPE,
// for this thread and all threads that start later: call it before any other thread starts.
FileDescriptor TakeEndSignals();

}  // namespace inferd::base
