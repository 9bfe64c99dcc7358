#include "net/upstream/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/memory_shortage.h"
#include "net/upstream/dial.h"
#include "net/upstream/socket_state.h"

namespace inferd::net::upstream {

namespace {

using Body = ResponseFraming::Body;

// A body with this many missing bytes is read to its final memory. The pieces of a shorter one are copied, so that each
// uses only the memory that it needs.
constexpr uint64_t kLargeBody = 64 << 10;
constexpr size_t kLargeBuffer = 256 << 10;
// The bytes that one connection may read before the others of its loop get their turn.
constexpr size_t kTurnBytes = 1 << 20;

base::Buffer WriteHead(const Request& request) {
  std::string head;
  size_t size = request.method.size() + request.target.size() + 64;
  for (const auto& [name, value] : request.fields) size += name.size() + value.size() + 4;
  head.reserve(size);
  head.append(request.method).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  for (const auto& [name, value] : request.fields) head.append(name).append(": ").append(value).append("\r\n");
  if (request.says_length) head.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  head.append("\r\n");
  return base::Buffer::CopyOf(head);
}

}  // namespace

Connection::Connection(ConnectionOwner& owner, const Address& address)
    : owner_(owner), address_(address), scanner_(owner.limits()), chunks_(owner.limits().header_bytes_max) {}

Connection::~Connection() {
  if (state_ != State::kClosed && fd_) owner_.loop().Unwatch(fd_.get(), *this);
}

base::Status Connection::Open() {
  INFERD_ASSIGN_OR_RETURN(Dialled dialled, Dial(address_));
  fd_ = std::move(dialled.socket);
  transport_.emplace(fd_.get());
  state_ = dialled.connected ? State::kIdle : State::kConnecting;
  interest_ = dialled.connected ? EPOLLIN | EPOLLRDHUP : EPOLLOUT;
  if (!owner_.loop().Watch(fd_.get(), interest_, *this)) {
    fd_.Close();
    return base::ResourceExhausted("cannot watch another socket: " + std::string(std::strerror(errno)));
  }
  return base::OkStatus();
}

void Connection::Begin(const Request& request, Receiver& receiver) {
  receiver_ = &receiver;
  Join(*this, receiver);
  to_head_ = request.method == "HEAD";
  answered_ = false;
  reset_ = false;
  written_ = 0;
  paused_ = false;
  scanner_.Reset();
  output_.pieces().emplace_back(WriteHead(request));
  if (!request.body.empty()) output_.pieces().push_back(request.body);
  if (state_ == State::kConnecting) return;
  state_ = State::kHead;
  // Sends at once: the server begins while this thread continues.
  Flush();
}

void Connection::OnReady(uint32_t epoll_events) {
  const bool enough = base::RunUnlessOutOfMemory([this, epoll_events] {
    if (state_ == State::kConnecting) return OnConnected();
    // The server is gone, and its remaining bytes are all that will come. They are never many, and would be reported
    // again and again.
    if ((epoll_events & (EPOLLHUP | EPOLLERR)) != 0) paused_ = false;
    if ((epoll_events & EPOLLOUT) != 0) Flush();
    if ((epoll_events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) Read();
  });
  if (enough) return;
  const base::DroppingForWantOfMemory dropping;
  Fail(Failure::Kind::kBroken, {});
}

void Connection::OnConnected() {
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    return Fail(Failure::Kind::kNotConnected, "cannot connect to " + address() + ": " + std::strerror(error));
  }
  state_ = receiver_ == nullptr ? State::kIdle : State::kHead;
  Flush();
}

void Connection::Flush() {
  while (!output_.empty()) {
    const Transport::Progress progress = output_.Write(*transport_);
    if (progress.state == Transport::State::kWantWrite) break;
    // A server may answer and close without reading everything: its response is read first.
    if (progress.state == Transport::State::kFailed) {
      reset_ |= IsReset(errno);
      output_.Clear();
      break;
    }
    written_ += progress.bytes;
  }
  UpdateInterest();
}

std::span<std::byte> Connection::Space() {
  if (state_ != State::kBody || framing_.body != Body::kLength) return owner_.read_space();
  if (large_ && large_used_ == large_.size()) large_ = {};
  if (!large_) {
    if (left_ < kLargeBody) return owner_.read_space();
    large_ = base::Buffer::Allocate(static_cast<size_t>(std::min<uint64_t>(left_, kLargeBuffer)));
    large_used_ = 0;
  }
  return {large_.data() + large_used_, large_.size() - large_used_};
}

void Connection::Read() {
  for (size_t total = 0; total < kTurnBytes && state_ != State::kClosed && !paused_;) {
    const std::span<std::byte> space = Space();
    const Transport::Progress progress = transport_->Read(space);
    if (progress.state == Transport::State::kWantRead) return;
    if (progress.state != Transport::State::kOk) {
      reset_ |= progress.state == Transport::State::kFailed && IsReset(errno);
      return OnEof();
    }
    total += progress.bytes;
    const bool rest = progress.bytes == space.size();
    OnBytes(space.first(progress.bytes));
    if (!rest) return;  // level-triggered: more bytes are reported
  }
}

void Connection::OnBytes(std::span<const std::byte> bytes) {
  // Unsolicited bytes belong to no request.
  if (state_ == State::kIdle) return Close();
  answered_ = true;
  while (!bytes.empty() && state_ != State::kClosed) {
    const size_t taken = state_ == State::kHead ? TakeHead({reinterpret_cast<const char*>(bytes.data()), bytes.size()})
                                                : TakeBody(bytes);
    bytes = bytes.subspan(taken);
    if (state_ != State::kWhole) continue;
    // Bytes after it would be taken for the response to the next request.
    if (!bytes.empty()) framing_.keep_alive = false;
    return EndResponse();
  }
}

size_t Connection::TakeHead(std::string_view text) {
  const size_t before = input_.size();
  // Most heads arrive at once, and are parsed in place.
  if (before > 0) input_.append(text);
  const std::string_view all = before > 0 ? std::string_view(input_) : text;
  const http1::HeadScanner::State scanned = scanner_.Scan(all);
  if (scanned == http1::HeadScanner::State::kError) {
    Fail(Failure::Kind::kMalformed, "a response that is no HTTP: " + scanner_.error().message);
    return text.size();
  }
  if (scanned == http1::HeadScanner::State::kMore) {
    if (before == 0) input_.assign(text);
    return text.size();
  }
  ResponseHead head;
  const size_t end = scanner_.end();
  const auto framing = ParseResponseHead(all.substr(scanner_.begin(), end - scanner_.begin()), to_head_, head);
  if (!framing.has_value()) {
    Fail(Failure::Kind::kMalformed, "a response that is no HTTP: " + framing.error());
    return text.size();
  }
  // None of our requests asks for another protocol.
  if (head.status == 101) {
    Fail(Failure::Kind::kMalformed, "a response that changes the protocol, which was not asked for");
    return text.size();
  }
  scanner_.Reset();
  if (!framing->interim) {
    framing_ = *framing;
    left_ = head.content_length.value_or(0);
    chunks_ = http1::ChunkDecoder(owner_.limits().header_bytes_max);
    state_ = State::kBody;
    receiver_->OnHead(head);
  }
  input_.clear();
  if (state_ == State::kBody && framing_.body == Body::kNone) state_ = State::kWhole;
  return end - before;
}

size_t Connection::TakeBody(std::span<const std::byte> bytes) {
  switch (framing_.body) {
    case Body::kNone: return 0;  // unreachable: the response has ended with its head
    case Body::kChunked: return TakeChunked(bytes);
    case Body::kUntilClose: Deliver(bytes); return bytes.size();
    case Body::kLength: break;
  }
  const auto taken = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
  left_ -= taken;
  Deliver(bytes.first(taken));
  if (state_ == State::kBody && left_ == 0) state_ = State::kWhole;
  return taken;
}

size_t Connection::TakeChunked(std::span<const std::byte> bytes) {
  using ChunkState = http1::ChunkDecoder::State;
  if (chunks_.state() == ChunkState::kData) {
    const auto taken = static_cast<size_t>(std::min<uint64_t>(chunks_.data_left(), bytes.size()));
    chunks_.Advance(taken);
    Deliver(bytes.first(taken));
    return taken;
  }
  const size_t taken = chunks_.Consume({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (chunks_.state() == ChunkState::kDone) {
    state_ = State::kWhole;
  } else if (chunks_.state() == ChunkState::kError || chunks_.state() == ChunkState::kTooLong) {
    Fail(Failure::Kind::kMalformed, "a response with a malformed chunk");
    return bytes.size();
  }
  return taken;
}

void Connection::Deliver(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  if (large_ && bytes.data() == large_.data() + large_used_) {
    large_used_ += bytes.size();
    return receiver_->OnBody({large_, bytes.data(), bytes.size()});
  }
  receiver_->OnBody(
      base::BufferSlice(base::Buffer::CopyOf({reinterpret_cast<const char*>(bytes.data()), bytes.size()})));
}

void Connection::OnEof() {
  if (receiver_ == nullptr) return Close();
  if (state_ == State::kBody && framing_.body == Body::kUntilClose) return EndResponse();
  using Kind = Failure::Kind;
  const bool stale = used_before_ && !answered_;
  Fail(!stale        ? Kind::kBroken
       : IsUntaken() ? Kind::kUntaken
                     : Kind::kStale,
       address() + " closed the connection " + (answered_ ? "in the middle of its response" : "without an answer"));
}

// If the server had closed before the request came, none of it was ever acknowledged.
bool Connection::IsUntaken() const { return reset_ || written_ == 0 || IsUnacknowledged(fd_.get(), written_); }

bool Connection::IsUsable() const { return !HasNews(fd_.get()); }

void Connection::EndResponse() {
  Receiver* const receiver = std::exchange(receiver_, nullptr);
  Part(*receiver);
  large_ = {};
  used_before_ = true;
  // The rest of a request whose response came first cannot be taken back.
  const bool goes_on = framing_.keep_alive && output_.empty();
  state_ = State::kIdle;
  if (goes_on) {
    if (std::exchange(paused_, false)) UpdateInterest();
    owner_.OnIdle(*this);
  } else {
    Close();
  }
  receiver->OnEnd();
}

void Connection::Fail(Failure::Kind kind, std::string text) {
  Receiver* const receiver = std::exchange(receiver_, nullptr);
  if (receiver != nullptr) Part(*receiver);
  Close();
  if (receiver != nullptr) receiver->OnFailure({kind, std::move(text)});
}

void Connection::GiveUp() {
  receiver_ = nullptr;
  Close();
}

void Connection::Close() {
  if (state_ == State::kClosed) return;
  if (receiver_ != nullptr) return Fail(Failure::Kind::kBroken, "the connection to " + address() + " was closed");
  state_ = State::kClosed;
  owner_.loop().Unwatch(fd_.get(), *this);
  fd_.Close();
  output_.Clear();
  owner_.OnClosed(*this);
}

void Connection::Pause() {
  paused_ = true;
  UpdateInterest();
}

void Connection::Resume() {
  paused_ = false;
  UpdateInterest();
}

void Connection::UpdateInterest() {
  if (state_ == State::kClosed || state_ == State::kConnecting) return;
  const uint32_t reading = paused_ ? 0 : EPOLLIN | EPOLLRDHUP;
  const uint32_t wanted = reading | (output_.empty() ? 0 : static_cast<uint32_t>(EPOLLOUT));
  if (std::exchange(interest_, wanted) != wanted) owner_.loop().Rewatch(fd_.get(), wanted, *this);
}

}  // namespace inferd::net::upstream
