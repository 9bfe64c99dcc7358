#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// Simulated device memory of another process: a POSIX shared memory object, whose name, padded with zero bytes, is the
// handle. Like all memory of the devices it has addresses that cannot be touched; the object's bytes represent them.
// Thread-safe.

// INVALID_ARGUMENT if there is no such object.
base::Status OpenHandle(int32_t device, const char* handle, inferd_memory& memory);
void CloseHandle(const inferd_memory& memory);

// Returns the bytes of an address in opened memory, or null if it is in none.
std::byte* ReachOpened(const void* data);

}  // namespace inferd::fake
