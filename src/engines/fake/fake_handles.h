#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// Memory that another process "has" on a device: a POSIX shared memory object, whose name is the handle, filled up with
// zero bytes. As all memory of the devices, it has addresses that cannot be touched, and the object's bytes stand for
// them. Thread-safe.

// INVALID_ARGUMENT: there is no such object.
base::Status OpenHandle(int32_t device, const char* handle, inferd_memory& memory);
void CloseHandle(const inferd_memory& memory);

// The bytes behind an address in opened memory; null: it is in none.
std::byte* ReachOpened(const void* data);

}  // namespace inferd::fake
