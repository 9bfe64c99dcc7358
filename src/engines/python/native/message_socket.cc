#include "engines/python/native/message_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace inferd::python {

MessageSocket::MessageSocket(int descriptor, Reference acquire, Reference release)
    : descriptor_(descriptor), acquire_(std::move(acquire)), release_(std::move(release)) {}

bool MessageSocket::Add(std::string_view unread) {
  MoveToFront();
  if (unread.size() > received_.size() - end_) return false;
  std::ranges::copy(unread, received_.begin() + end_);
  end_ += unread.size();
  return true;
}

std::string_view MessageSocket::TakeAll() {
  const std::string_view all = unread();
  begin_ = end_;
  return all;
}

void MessageSocket::MoveToFront() {
  std::copy(received_.begin() + begin_, received_.begin() + end_, received_.begin());
  end_ -= std::exchange(begin_, 0);
}

std::optional<std::string_view> MessageSocket::Await() {
  do {
    const std::string_view there = unread();
    if (there.size() < kHeaderBytes) continue;
    uint32_t size = 0;
    std::memcpy(&size, there.data(), sizeof(size));
    if (size > kMessageBytesMax) return std::nullopt;
    if (there.size() >= kHeaderBytes + size) return there.substr(kHeaderBytes, size);
  } while (Receive());
  return std::nullopt;
}

bool MessageSocket::Receive() {
  MoveToFront();
  for (;;) {
    ssize_t got = 0;
    Py_BEGIN_ALLOW_THREADS;
    // poll() first: recv() would also wake up whenever the server reads bytes that were sent to it.
    pollfd readable{.fd = descriptor_, .events = POLLIN, .revents = 0};
    got = poll(&readable, 1, -1);
    if (got > 0) got = recv(descriptor_, received_.data() + end_, received_.size() - end_, 0);
    Py_END_ALLOW_THREADS;
    if (got >= 0) {
      end_ += static_cast<size_t>(got);
      return got > 0;
    }
    if (errno != EINTR) {
      PyErr_SetFromErrno(PyExc_OSError);
      return false;
    }
    if (PyErr_CheckSignals() != 0) return false;
  }
}

bool MessageSocket::Send(const std::string& message) {
  const auto size = static_cast<uint32_t>(message.size());
  sent_.assign(reinterpret_cast<const char*>(&size), sizeof(size));
  sent_ += message;
  const Reference held(PyObject_CallNoArgs(acquire_.get()));
  if (!held) return false;
  const bool sent = SendAll(sent_);
  // Keep an exception that is already set.
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  const Reference released(PyObject_CallNoArgs(release_.get()));
  if (type != nullptr) PyErr_Restore(type, error, trace);
  return sent && released;
}

bool MessageSocket::SendAll(std::string_view bytes) const {
  while (!bytes.empty()) {
    ssize_t sent = 0;
    Py_BEGIN_ALLOW_THREADS;
    sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    Py_END_ALLOW_THREADS;
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) {
      PyErr_SetFromErrno(PyExc_OSError);
      return false;
    }
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace inferd::python
