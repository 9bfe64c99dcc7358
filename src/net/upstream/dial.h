#pragma once

#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "net/upstream/address.h"

namespace inferd::net::upstream {

struct Dialled {
  base::FileDescriptor socket;
  bool connected = false;  // if false, it becomes writable when it is connected
};

// Begins to connect, without waiting. RESOURCE_EXHAUSTED or UNAVAILABLE, with the reason, if it cannot.
base::Result<Dialled> Dial(const Address& address);

}  // namespace inferd::net::upstream
