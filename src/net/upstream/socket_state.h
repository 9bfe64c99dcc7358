#pragma once

#include <cstdint>

namespace inferd::net::upstream {

// What the kernel knows of a connected socket. Thread-safe.

// True if the error of a read or write says that the peer has closed, and left bytes unread (RFC 1122, 4.2.2.13), or
// had closed before they came.
bool IsReset(int error);

// True if the peer has closed the connection or has sent bytes that were not read yet. Takes none of them.
bool HasNews(int fd);

// True if none of the last `bytes` that were written has reached the peer's system. False if that is not known, as for
// Unix sockets.
bool IsUnacknowledged(int fd, uint64_t bytes);

}  // namespace inferd::net::upstream
