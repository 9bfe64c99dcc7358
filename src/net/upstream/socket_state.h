#pragma once

#include <cstdint>

namespace inferd::net::upstream {

// The kernel's knowledge of a connected socket. Thread-safe.

// True if the error of a read or write shows that the peer has closed the connection and left bytes unread (RFC 1122,
// 4.2.2.13), or had closed it before the bytes arrived.
bool IsReset(int error);

// True if the peer has closed the connection or has sent unread bytes. Takes none of them.
bool HasNews(int fd);

// True if none of the last `bytes` written has reached the peer's system. False if that is unknown, as for Unix
// sockets.
bool IsUnacknowledged(int fd, uint64_t bytes);

}  // namespace inferd::net::upstream
