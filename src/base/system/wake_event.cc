#include "base/system/wake_event.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace inferd::base {

WakeEvent::WakeEvent() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void WakeEvent::Wake() const {
  const uint64_t one = 1;
  static_cast<void>(write(event_.get(), &one, sizeof(one)));
}

bool WakeEvent::Await(int descriptor, std::chrono::milliseconds timeout) const {
  std::array<pollfd, 2> files = {pollfd{.fd = event_.get(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = descriptor, .events = POLLIN, .revents = 0}};
  poll(files.data(), files.size(), static_cast<int>(timeout.count()));
  if (files[1].revents != 0) return false;
  uint64_t count = 0;
  static_cast<void>(read(event_.get(), &count, sizeof(count)));
  return true;
}

}  // namespace inferd::base
