#include "net/connection.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/memory_shortage.h"
#include "net/http/net_metrics.h"
#include "net/shard.h"

namespace inferd::net {

namespace {

// The bytes that one connection may read or write before the others of its loop get their turn.
constexpr size_t kTurnBytes = 2 << 20;
// Fewer writes wake a waiting peer less often: a megabyte and the head before it go out in one write.
constexpr size_t kTakeBytes = (1 << 20) + (64 << 10);
constexpr size_t kStreamingBytes =
    64 << 10;  // a response written that much faster than it is read has more of it under way
constexpr int64_t kLingerNs = 2'000'000'000;
constexpr int64_t kDrainHandshakeNs = 2'000'000'000;

}  // namespace

Connection::Connection(Shard& shard, HttpHandler& handler, base::FileDescriptor fd,
                       std::unique_ptr<Transport> transport, ConnectionEnds ends, bool tls)
    : ConnectionHost(shard, handler, std::move(ends), tls), fd_(std::move(fd)), transport_(std::move(transport)) {}

Connection::~Connection() = default;

EventLoop& Connection::event_loop() { return shard().loop(); }

bool Connection::Open() {
  interest_ = EPOLLIN | EPOLLRDHUP;
  if (!event_loop().Watch(fd_.get(), interest_, *this)) return false;
  deadline_ns_ = event_loop().now_ns() + std::chrono::nanoseconds(shard().limits().header_timeout).count();
  // A plain connection has nothing to shake hands about; a TLS client speaks first.
  if (!tls()) Handshake();
  return true;
}

void Connection::Handshake() {
  const Transport::State result = transport_->Handshake();
  if (result == Transport::State::kOk) {
    state_ = State::kOpen;
    set_tls(transport_->is_tls());
    // Before the session's first words (HTTP/2's SETTINGS), which may find the socket full, and have to wait again.
    write_blocked_ = false;
    session_.Begin(transport_->ChoseHttp2());
    session_.TellOfDrain();
    UpdateInterest();
    if (transport_->HasBuffered()) Read();
    return;
  }
  write_blocked_ = result == Transport::State::kWantWrite;
  if (result == Transport::State::kFailed || result == Transport::State::kEof) return Close();
  UpdateInterest();
}

void Connection::OnReady(uint32_t epoll_events) {
  const auto handle = [this, epoll_events] { Handle(epoll_events); };
  // Its position in a message is unknown now.
  if (base::RunUnlessOutOfMemory(handle)) return;
  in_ready_ = false;
  const base::DroppingForWantOfMemory dropping;
  Close();
}

void Connection::Handle(uint32_t epoll_events) {
  if ((epoll_events & EPOLLERR) != 0) return Close();
  switch (state_) {
    case State::kHandshake: return Handshake();
    case State::kOpen:
      // Immediate responses are written at once, before the loop's other connections are read.
      in_ready_ = true;
      flush_wanted_ |= (epoll_events & EPOLLOUT) != 0;
      if ((epoll_events & (EPOLLIN | EPOLLHUP | EPOLLRDHUP)) != 0) Read();
      in_ready_ = false;
      if (std::exchange(flush_wanted_, false)) Flush();
      // Both directions are closed, and there is nothing left to read, or nobody reads it.
      if (state_ == State::kOpen && (epoll_events & EPOLLHUP) != 0 && (eof_ || paused_)) Close();
      return;
    case State::kLingering: return Discard();
    case State::kClosed: return;
  }
}

void Connection::Read() {
  for (size_t total = 0;
       total < kTurnBytes && state_ == State::kOpen && !paused_ && !eof_ && !session_.handing_over();) {
    const std::span<std::byte> space = session_->PrepareRead();
    if (space.empty()) return;
    const Transport::Progress progress = transport_->Read(space);
    if (progress.state == Transport::State::kFailed) return Close();
    if (progress.state == Transport::State::kEof) return OnEof();
    if (progress.state != Transport::State::kOk) return;
    shard().metrics().AddBytesRead(progress.bytes);
    total += progress.bytes;
    session_->OnRead(progress.bytes);
    if (session_.handing_over()) return;  // its successor must first get the bytes that were read before
    // Level-triggered: if there is more, the next turn reports it, which costs less than asking now.
    if (progress.bytes < space.size() && !transport_->HasBuffered()) {
      if (progress.bytes >= kStreamingBytes) event_loop().ExpectSoon();
      return;
    }
  }
  if (paused_) return LookForEnd();
  // The transport holds bytes that epoll will not report.
  if (state_ == State::kOpen && !paused_ && !eof_ && transport_->HasBuffered()) {
    event_loop().AtEndOfTurn([this] { Read(); });
  }
}

void Connection::OnEof() {
  eof_ = true;
  UpdateInterest();
  if (!session_.handing_over()) session_->OnEof();
}

bool Connection::WatchesForEnd() {
  return state_ == State::kOpen && paused_ && !eof_ && !shard().limits().keep_half_closed && session_->in_flight() > 0;
}

// Bytes that the peer has pipelined after its request are lost with it, just as when they are read before the end.
void Connection::LookForEnd() {
  pollfd look{.fd = fd_.get(), .events = POLLRDHUP, .revents = 0};
  if (!WatchesForEnd() || poll(&look, 1, 0) <= 0 || (look.revents & POLLRDHUP) == 0) return UpdateInterest();
  unread_ = true;
  OnEof();
}

void Connection::Discard() {
  std::array<std::byte, 16 * 1024> scratch;
  for (size_t total = 0; total < kTurnBytes;) {
    const Transport::Progress progress = transport_->Read(scratch);
    if (progress.state == Transport::State::kEof || progress.state == Transport::State::kFailed) return Close();
    if (progress.state != Transport::State::kOk) return;
    total += progress.bytes;
  }
}

void Connection::WantWrite() {
  if (flush_wanted_ || write_blocked_ || state_ != State::kOpen) return;
  flush_wanted_ = true;
  if (in_ready_) return;
  event_loop().AtEndOfTurn([this] {
    if (std::exchange(flush_wanted_, false)) Flush();
  });
}

void Connection::Flush() {
  if (state_ != State::kOpen) return;
  write_blocked_ = false;
  for (size_t total = 0; total < kTurnBytes;) {
    if (output_.empty()) {
      const size_t taken = session_->TakeOutput(output_.pieces(), kTakeBytes);
      total += taken;
      if (taken == 0) {
        UpdateInterest();
        if (closing_) Linger();
        return;
      }
    }
    if (!WritePending()) return;
  }
  write_blocked_ = true;  // continue when the socket is writable, possibly at once
  UpdateInterest();
}

// Returns false if it must wait, or is closed.
bool Connection::WritePending() {
  const Transport::Progress progress = output_.Write(*transport_);
  if (progress.state == Transport::State::kFailed || progress.state == Transport::State::kEof) {
    Close();
    return false;
  }
  if (progress.state != Transport::State::kOk) {
    write_blocked_ = true;
    UpdateInterest();
    return false;
  }
  shard().metrics().AddBytesWritten(progress.bytes);
  session_.OnWritten(progress.bytes);
  return state_ == State::kOpen;
}

void Connection::PauseReading() {
  paused_ = true;
  UpdateInterest();
}

void Connection::ResumeReading() {
  paused_ = false;
  UpdateInterest();
  if (state_ == State::kOpen && transport_->HasBuffered()) event_loop().AtEndOfTurn([this] { Read(); });
}

void Connection::CloseAfterWrite() {
  closing_ = true;
  WantWrite();
}

void Connection::Linger() {
  transport_->FinishWriting();
  if (eof_ && !unread_) return Close();
  state_ = State::kLingering;
  deadline_ns_ = event_loop().now_ns() + kLingerNs;
  UpdateInterest();
}

void Connection::Close() {
  if (std::exchange(state_, State::kClosed) == State::kClosed) return;
  event_loop().Unwatch(fd_.get(), *this);
  fd_.Close();
  output_.Clear();
  if (session_.begun()) session_->OnClosed();
  // Functions on the stack may still use this object. Flushes that were requested run before and find it closed.
  event_loop().AtEndOfTurn([this] { shard().Remove(*this); });
}

void Connection::UpdateInterest() {
  if (state_ == State::kClosed) return;
  uint32_t interest = !eof_ && !paused_ ? EPOLLIN | EPOLLRDHUP : PausedInterest();
  if (write_blocked_) interest |= EPOLLOUT;
  if (interest == interest_) return;
  interest_ = interest;
  event_loop().Rewatch(fd_.get(), interest, *this);
}

uint32_t Connection::PausedInterest() {
  if (state_ == State::kLingering) return EPOLLIN | EPOLLRDHUP;
  return WatchesForEnd() ? static_cast<uint32_t>(EPOLLRDHUP) : 0;
}

void Connection::OnTick(int64_t now_ns) {
  switch (state_) {
    case State::kOpen: return session_->OnTick(now_ns);
    case State::kHandshake:
    case State::kLingering:
      if (now_ns > deadline_ns_) Close();
      return;
    case State::kClosed: return;
  }
}

// A request may already follow the end of a handshake.
void Connection::BeginDrain() {
  if (state_ == State::kHandshake) deadline_ns_ = std::min(deadline_ns_, event_loop().now_ns() + kDrainHandshakeNs);
  session_.BeginDrain();
}

}  // namespace inferd::net
