#include "net/transport.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace inferd::net {

namespace {

Transport::Progress ProgressOf(ssize_t result, Transport::State wait) {
  if (result >= 0) return {Transport::State::kOk, static_cast<size_t>(result)};
  const bool again = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {again ? wait : Transport::State::kFailed, 0};
}

}  // namespace

Transport::Progress PlainTransport::Read(std::span<std::byte> space) {
  const Progress progress = ProgressOf(recv(fd_, space.data(), space.size(), 0), State::kWantRead);
  if (progress.state == State::kOk && progress.bytes == 0) return {State::kEof, 0};
  return progress;
}

Transport::Progress PlainTransport::Write(std::span<const base::BufferSlice> pieces, size_t offset) {
  const std::byte* first = pieces[0].data() + offset;
  const size_t first_bytes = pieces[0].size() - offset;
  if (pieces.size() == 1) return ProgressOf(send(fd_, first, first_bytes, MSG_NOSIGNAL), State::kWantWrite);
  std::array<iovec, 256> vectors;
  const size_t count = std::min(pieces.size(), vectors.size());
  vectors[0] = {const_cast<std::byte*>(first), first_bytes};
  for (size_t i = 1; i < count; ++i) vectors[i] = {const_cast<std::byte*>(pieces[i].data()), pieces[i].size()};
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  return ProgressOf(sendmsg(fd_, &message, MSG_NOSIGNAL), State::kWantWrite);
}

void PlainTransport::FinishWriting() { shutdown(fd_, SHUT_WR); }

Transport::State EitherTransport::Handshake() {
  constexpr std::byte kTlsHandshake{22};  // RFC 8446, 5.1: the type of a client's first record
  if (chosen_ == nullptr) {
    std::byte first{};
    const Progress looked = ProgressOf(recv(fd_, &first, 1, MSG_PEEK), State::kWantRead);
    if (looked.state != State::kOk) return looked.state;
    if (looked.bytes == 0) return State::kEof;
    if (first == kTlsHandshake) {
      chosen_ = make_tls_(fd_);
    } else {
      chosen_ = std::make_unique<PlainTransport>(fd_);
    }
  }
  return chosen_->Handshake();
}

}  // namespace inferd::net
