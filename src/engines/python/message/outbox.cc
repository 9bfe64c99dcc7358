#include "engines/python/message/outbox.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace inferd::python {

base::Result<std::shared_ptr<Outbox>> Outbox::Create() {
  base::FileDescriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) {
    return std::unexpected(base::ResourceExhausted("no Python worker: " + std::string(std::strerror(errno))));
  }
  return std::make_shared<Outbox>(std::move(wake));
}

void Outbox::Wake() {
  const uint64_t one = 1;
  static_cast<void>(write(wake_.get(), &one, sizeof(one)) == 0);
}

void Outbox::Push(MarshalWriter message, uint64_t resumed) {
  {
    const base::MutexLock lock(mutex_);
    messages_.push_back({std::move(message), resumed});
    if (messages_.size() > 1) return;
  }
  Wake();
}

void Outbox::Drain() {
  uint64_t count = 0;
  static_cast<void>(read(wake_.get(), &count, sizeof(count)) == 0);
}

void Outbox::Await(std::chrono::milliseconds patience) const {
  pollfd readable{.fd = wake_.get(), .events = POLLIN, .revents = 0};
  poll(&readable, 1, static_cast<int>(patience.count()));
}

std::vector<Outbox::Item> Outbox::TakeAll() {
  const base::MutexLock lock(mutex_);
  return std::exchange(messages_, {});
}

}  // namespace inferd::python
