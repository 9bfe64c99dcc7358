#pragma once

#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "net/upstream/address.h"

namespace inferd::net::upstream {

struct Dialled {
  base::FileDescriptor socket;
  bool connected = false;  // else it becomes writable when it is
};

// Begins to connect, without waiting. RESOURCE_EXHAUSTED, UNAVAILABLE: why it cannot.
base::Result<Dialled> Dial(const Address& address);

}  // namespace inferd::net::upstream
