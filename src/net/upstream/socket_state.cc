#include "net/upstream/socket_state.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>

namespace inferd::net::upstream {

bool IsReset(int error) { return error == ECONNRESET || error == EPIPE; }

bool HasNews(int fd) {
  char byte = 0;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

bool IsUnacknowledged(int fd, uint64_t bytes) {
  int domain = AF_UNSPEC;
  socklen_t size = sizeof(domain);
  int queued = 0;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || (domain != AF_INET && domain != AF_INET6)) {
    return false;
  }
  return ioctl(fd, SIOCOUTQ, &queued) == 0 && queued > 0 && static_cast<uint64_t>(queued) >= bytes;
}

}  // namespace inferd::net::upstream
