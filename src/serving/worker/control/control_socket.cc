#include "serving/worker/control/control_socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/system/poll_until.h"

namespace inferd::worker {

namespace {

constexpr size_t kFirstBytes = 1 << 16;

struct alignas(cmsghdr) DescriptorSpace {
  char bytes[CMSG_SPACE(sizeof(int))] = {};
};

base::Status SendAll(int socket, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t sent = send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return ControlSocket::Gone();
    data += sent;
    size -= static_cast<size_t>(sent);
  }
  return base::OkStatus();
}

// Takes the first descriptor and closes the others: the space for one, once aligned, has room for two.
base::FileDescriptor TakeDescriptor(msghdr& header) {
  const cmsghdr* control = CMSG_FIRSTHDR(&header);
  if (control == nullptr || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) return {};
  base::FileDescriptor first;
  for (size_t at = CMSG_LEN(0); at + sizeof(int) <= control->cmsg_len; at += sizeof(int)) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(control) + (at - CMSG_LEN(0)), sizeof(descriptor));
    base::FileDescriptor came(descriptor);
    if (!first) first = std::move(came);
  }
  return first;
}

// Reads `size` bytes. Puts a descriptor that comes with them into *descriptor, if that is not null.
base::Status ReceiveAll(int socket, char* data, size_t size, ControlSocket::Clock::time_point deadline,
                        base::FileDescriptor* descriptor) {
  while (size > 0) {
    if (deadline != ControlSocket::kForever && !base::PollUntil(socket, POLLIN, deadline)) return ControlSocket::Late();
    iovec part = {.iov_base = data, .iov_len = size};
    DescriptorSpace space;
    msghdr header = {};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (descriptor != nullptr) {
      header.msg_control = space.bytes;
      header.msg_controllen = sizeof(space.bytes);
    }
    const ssize_t received = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return ControlSocket::Gone();
    if (descriptor != nullptr) {
      if (base::FileDescriptor came = TakeDescriptor(header)) *descriptor = std::move(came);
    }
    data += received;
    size -= static_cast<size_t>(received);
  }
  return base::OkStatus();
}

}  // namespace

base::Status ControlSocket::Gone() { return base::Unavailable("the other side of a worker's socket is gone"); }

base::Status ControlSocket::Late() {
  return base::Unavailable("the other side of a worker's socket does not answer in time");
}

base::Result<std::pair<ControlSocket, ControlSocket>> ControlSocket::MakePair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return std::unexpected(
        base::ResourceExhausted("no socket for a worker process: " + std::string(std::strerror(errno))));
  }
  return std::pair(ControlSocket(base::FileDescriptor(ends[0])), ControlSocket(base::FileDescriptor(ends[1])));
}

base::Status ControlSocket::Send(std::string_view text, int descriptor) {
  if (text.size() > kMessageBytesMax) return base::InvalidArgument("a message to a worker process is too long");
  uint64_t size = text.size();
  iovec part = {.iov_base = &size, .iov_len = sizeof(size)};
  DescriptorSpace space;
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (descriptor >= 0) {
    header.msg_control = space.bytes;
    header.msg_controllen = sizeof(space.bytes);
    cmsghdr* control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(control), &descriptor, sizeof(descriptor));
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket_.get(), &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return ControlSocket::Gone();
  // The descriptor was sent with the first byte.
  const auto* rest = reinterpret_cast<const char*>(&size) + sent;
  INFERD_RETURN_IF_ERROR(SendAll(socket_.get(), rest, sizeof(size) - static_cast<size_t>(sent)));
  return SendAll(socket_.get(), text.data(), text.size());
}

base::Result<ControlMessage> ControlSocket::Receive(Clock::time_point deadline, size_t bytes_max) {
  ControlMessage message;
  uint64_t size = 0;
  INFERD_RETURN_IF_ERROR(
      ReceiveAll(socket_.get(), reinterpret_cast<char*>(&size), sizeof(size), deadline, &message.descriptor));
  if (size > bytes_max) {
    return std::unexpected(base::Internal("a message of " + std::to_string(size) + " bytes on a worker's socket"));
  }
  // Allocate with the bytes that have arrived, not with the announced size.
  while (message.text.size() < size) {
    const size_t begin = message.text.size();
    message.text.resize(std::min<uint64_t>(size, std::max(2 * begin, kFirstBytes)));
    INFERD_RETURN_IF_ERROR(
        ReceiveAll(socket_.get(), message.text.data() + begin, message.text.size() - begin, deadline, nullptr));
  }
  return message;
}

bool ControlSocket::AwaitEnd(std::chrono::milliseconds patience) {
  static_cast<void>(shutdown(socket_.get(), SHUT_WR));
  // Ask for no event: the end of both directions is always reported.
  return base::PollUntil(socket_.get(), 0, std::chrono::steady_clock::now() + patience);
}

void ControlSocket::Shutdown() { static_cast<void>(shutdown(socket_.get(), SHUT_RDWR)); }

}  // namespace inferd::worker
