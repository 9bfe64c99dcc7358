#include "net/loop/readable_waits.h"

#include <sys/epoll.h>

#include <cerrno>
#include <utility>

#include "base/memory_shortage.h"

namespace inferd::net {

bool ReadableWaits::AwaitReadable(int descriptor, base::Task ready) {
  if (ended_) return false;
  Wait& wait = waits_[descriptor];
  if (!Arm(descriptor, wait)) return false;
  wait.Set(std::move(ready));
  return true;
}

// An armed descriptor stays registered for one event; arming it again takes one system call, too.
bool ReadableWaits::Arm(int descriptor, Wait& wait) {
  Watcher* const watcher = &wait;
  epoll_event once{.events = EPOLLIN | EPOLLONESHOT, .data = {.ptr = watcher}};
  return epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &once) == 0 ||
         (errno == ENOENT && epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &once) == 0);
}

void ReadableWaits::End() {
  ended_ = true;
  for (auto& [descriptor, wait] : waits_) wait.OnReady(0);
}

void ReadableWaits::Wait::Set(base::Task ready) {
  OnReady(0);
  ready_ = std::move(ready);
}

void ReadableWaits::Wait::OnReady(uint32_t /*epoll_events*/) {
  if (base::Task ready = std::exchange(ready_, nullptr)) base::RunUnlessOutOfMemory(ready);
}

}  // namespace inferd::net
