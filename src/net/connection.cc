#include "net/connection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/memory_shortage.h"
#include "net/http/net_metrics.h"
#include "net/http2/session.h"
#include "net/shard.h"

namespace inferd::net {

namespace {

// What one connection may read or write before the others of its loop get their turn.
constexpr size_t kTurnBytes = 2 << 20;
// Fewer writes wake a waiting peer less often: a megabyte and the head before it go out in one.
constexpr size_t kTakeBytes = (1 << 20) + (64 << 10);
constexpr size_t kStreamingBytes =
    64 << 10;  // a response written that much faster than it is read has more of it under way
constexpr int64_t kLingerNs = 2'000'000'000;
constexpr int64_t kDrainHandshakeNs = 2'000'000'000;

}  // namespace

Connection::Connection(Shard& shard, HttpHandler& handler, base::FileDescriptor fd,
                       std::unique_ptr<Transport> transport, std::string peer, bool tls)
    : shard_(shard),
      handler_(handler),
      fd_(std::move(fd)),
      transport_(std::move(transport)),
      peer_(std::move(peer)),
      tls_(tls) {}

Connection::~Connection() = default;

EventLoop& Connection::event_loop() { return shard_.loop(); }
Loop& Connection::loop() { return shard_.loop(); }
const Limits& Connection::limits() const { return shard_.limits(); }
BodyPool& Connection::bodies() { return shard_.bodies(); }
std::span<std::byte> Connection::read_space() { return shard_.read_space(); }
SliceWriter& Connection::writer() { return shard_.writer(); }
Reply::Target& Connection::replies() { return shard_.loop().replies(); }
NetMetrics& Connection::metrics() { return shard_.metrics(); }

bool Connection::Open() {
  interest_ = EPOLLIN | EPOLLRDHUP;
  if (!event_loop().Watch(fd_.get(), interest_, *this)) return false;
  deadline_ns_ = event_loop().now_ns() + std::chrono::nanoseconds(limits().header_timeout).count();
  // A plain connection has nothing to shake hands about; a TLS client speaks first.
  if (!tls_) Handshake();
  return true;
}

void Connection::Handshake() {
  const Transport::State result = transport_->Handshake();
  if (result == Transport::State::kOk) {
    state_ = State::kOpen;
    if (transport_->ChoseHttp2()) {
      session_ = http2::MakeSession(*this);
    } else {
      session_ = std::make_unique<http1::Session>(*this, this);
    }
    write_blocked_ = false;
    TellOfDrain();
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
  // Where in a message it stopped is not known any more.
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
      // What is answered at once is written at once, before the loop's other connections are read.
      in_ready_ = true;
      flush_wanted_ |= (epoll_events & EPOLLOUT) != 0;
      if ((epoll_events & (EPOLLIN | EPOLLHUP | EPOLLRDHUP)) != 0) Read();
      in_ready_ = false;
      if (std::exchange(flush_wanted_, false)) Flush();
      // Both directions are closed, and nothing is left to read, or nobody reads it.
      if (state_ == State::kOpen && (epoll_events & EPOLLHUP) != 0 && (eof_ || paused_)) Close();
      return;
    case State::kLingering: return Discard();
    case State::kClosed: return;
  }
}

void Connection::Read() {
  for (size_t total = 0; total < kTurnBytes && state_ == State::kOpen && !paused_ && !eof_ && retired_ == nullptr;) {
    const std::span<std::byte> space = session_->PrepareRead();
    if (space.empty()) return;
    const Transport::Progress progress = transport_->Read(space);
    if (progress.state == Transport::State::kFailed) return Close();
    if (progress.state == Transport::State::kEof) return OnEof();
    if (progress.state != Transport::State::kOk) return;
    metrics().AddBytesRead(progress.bytes);
    total += progress.bytes;
    session_->OnRead(progress.bytes);
    if (retired_ != nullptr) return;  // its successor has not yet what was read before
    // Level-triggered: if there is more, the next turn says so, which costs less than asking for it now.
    if (progress.bytes < space.size() && !transport_->HasBuffered()) {
      if (progress.bytes >= kStreamingBytes) event_loop().ExpectSoon();
      return;
    }
  }
  // The transport holds bytes that no readiness will announce.
  if (state_ == State::kOpen && !paused_ && !eof_ && transport_->HasBuffered()) {
    event_loop().AtEndOfTurn([this] { Read(); });
  }
}

void Connection::OnEof() {
  eof_ = true;
  UpdateInterest();
  if (retired_ == nullptr) session_->OnEof();
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
    if (pending_.empty()) {
      const size_t taken = session_->TakeOutput(pending_, kTakeBytes);
      total += taken;
      if (taken == 0) {
        UpdateInterest();
        if (closing_) Linger();
        return;
      }
    }
    if (!WritePending()) return;
  }
  write_blocked_ = true;  // to go on when the socket is writable, which may well be at once
  UpdateInterest();
}

// False: wait, or closed.
bool Connection::WritePending() {
  const std::span<const base::BufferSlice> pieces = std::span(pending_).subspan(pending_begin_);
  const Transport::Progress progress = transport_->Write(pieces, pending_offset_);
  if (progress.state == Transport::State::kFailed || progress.state == Transport::State::kEof) {
    Close();
    return false;
  }
  if (progress.state != Transport::State::kOk) {
    write_blocked_ = true;
    UpdateInterest();
    return false;
  }
  pending_offset_ += progress.bytes;
  while (pending_begin_ < pending_.size() && pending_offset_ >= pending_[pending_begin_].size()) {
    pending_offset_ -= pending_[pending_begin_].size();
    pending_[pending_begin_++] = base::BufferSlice();
  }
  if (pending_begin_ == pending_.size()) {
    pending_.clear();
    pending_begin_ = pending_offset_ = 0;
  }
  metrics().AddBytesWritten(progress.bytes);
  const size_t retired = std::min(progress.bytes, retired_output_bytes_);
  retired_output_bytes_ -= retired;
  if (progress.bytes > retired) session_->OnWritten(progress.bytes - retired);
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
  if (eof_) return Close();
  state_ = State::kLingering;
  deadline_ns_ = event_loop().now_ns() + kLingerNs;
  UpdateInterest();
}

void Connection::Close() {
  if (std::exchange(state_, State::kClosed) == State::kClosed) return;
  event_loop().Unwatch(fd_.get(), *this);
  fd_.Close();
  pending_.clear();
  if (session_ != nullptr) session_->OnClosed();
  // Functions on the stack may still use this; flushes that were asked for run before it and find it closed.
  event_loop().AtEndOfTurn([this] { shard_.Remove(*this); });
}

void Connection::UpdateInterest() {
  if (state_ == State::kClosed) return;
  uint32_t interest = 0;
  if (!eof_ && (!paused_ || state_ == State::kLingering)) interest |= EPOLLIN | EPOLLRDHUP;
  if (write_blocked_) interest |= EPOLLOUT;
  if (interest == interest_) return;
  interest_ = interest;
  event_loop().Rewatch(fd_.get(), interest, *this);
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

void Connection::AnnounceDrain() {
  announced_ = true;
  if (state_ == State::kOpen) session_->AnnounceDrain();
}

// A request may stand behind the end of a handshake already.
void Connection::BeginDrain() {
  draining_ = true;
  if (state_ == State::kHandshake) deadline_ns_ = std::min(deadline_ns_, event_loop().now_ns() + kDrainHandshakeNs);
  if (state_ == State::kOpen) session_->BeginDrain();
}

void Connection::TellOfDrain() {
  if (announced_) session_->AnnounceDrain();
  if (draining_) session_->BeginDrain();
}

// The old session is still on the stack; at the end of the turn it is gone and the new one gets its bytes. What the old
// one has still to write may lie in its own memory, so it is copied.
void Connection::HandOver(std::unique_ptr<Session> session, std::span<const std::byte> bytes) {
  session_->TakeOutput(pending_, SIZE_MAX);
  retired_output_bytes_ = 0;
  for (size_t i = pending_begin_; i < pending_.size(); ++i) {
    if (!pending_[i].owner()) pending_[i] = base::BufferSlice(base::Buffer::CopyOf(pending_[i].view()));
    retired_output_bytes_ += pending_[i].size();
  }
  retired_output_bytes_ -= pending_offset_;
  handed_over_.assign(bytes.begin(), bytes.end());
  retired_ = std::exchange(session_, std::move(session));
  event_loop().AtEndOfTurn([this] { FinishHandOver(); });
}

void Connection::FinishHandOver() {
  if (state_ != State::kOpen) return;
  retired_.reset();
  const std::vector<std::byte> bytes = std::exchange(handed_over_, {});
  for (size_t done = 0; done < bytes.size() && state_ == State::kOpen;) {
    const std::span<std::byte> space = session_->PrepareRead();
    const size_t count = std::min(space.size(), bytes.size() - done);
    if (count == 0) return Close();
    std::memcpy(space.data(), bytes.data() + done, count);
    session_->OnRead(count);
    done += count;
  }
  if (state_ == State::kOpen) TellOfDrain();
  if (eof_ && state_ == State::kOpen) session_->OnEof();
}

void Connection::OnHttp2Preface(std::span<const std::byte> bytes) { HandOver(http2::MakeSession(*this), bytes); }

bool Connection::OnHttp2Upgrade(std::string_view settings, HttpRequest& request, std::span<const std::byte> bytes) {
  base::Result<std::unique_ptr<Session>> session = http2::MakeUpgradedSession(*this, settings, request);
  if (!session.has_value()) return false;
  HandOver(*std::move(session), bytes);
  static constexpr std::string_view kSwitching =
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
  pending_.emplace_back(base::Buffer(), reinterpret_cast<const std::byte*>(kSwitching.data()), kSwitching.size());
  retired_output_bytes_ += kSwitching.size();
  metrics().CountResponse(101);
  WantWrite();
  return true;
}

}  // namespace inferd::net
