#pragma once

#include <cstdint>

#include "base/system/control_groups.h"

namespace inferd::base {

// Returns the bytes of memory that this process may use: the machine's, or fewer if its control group or one above it
// has a limit (version 2: memory.max, version 1: memory.limit_in_bytes; systemd's MemoryMax=, a container's limit).
// Reads files with each call; thread-safe.
uint64_t UsableMemoryBytes(const ControlGroups& groups = {});

}  // namespace inferd::base
