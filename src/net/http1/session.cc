#include "net/http1/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "net/http/net_metrics.h"

namespace inferd::net::http1 {

namespace {

constexpr size_t kInputBytes = 16 * 1024;
// Chunks with more than this to come are read straight into the body.
constexpr uint64_t kDirectReadBytes = 4096;
// ... and this much at a time.
constexpr uint64_t kReadBytesMax = 256 * 1024;
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace

bool Session::Stopwatch::Passed(int64_t now_ns, std::chrono::milliseconds limit) {
  if (since_ns == 0) since_ns = now_ns;
  return now_ns - since_ns > std::chrono::nanoseconds(limit).count();
}

Session::Session(SessionHost& host, Successor* successor)
    : Exchange(host.replies()),
      host_(host),
      successor_(successor),
      scanner_(host.limits()),
      chunks_(host.limits().header_bytes_max) {}

Session::~Session() { EndRequest(); }

std::string_view Session::input() const {
  return {reinterpret_cast<const char*>(input_.get()) + input_begin_, input_end_ - input_begin_};
}

void Session::Skip(size_t bytes) {
  input_begin_ += bytes;
  if (input_begin_ == input_end_) input_begin_ = input_end_ = 0;
}

std::span<std::byte> Session::PrepareRead() {
  reading_into_body_ = false;
  if (input_begin_ == input_end_) {
    std::span<std::byte> space;
    if (state_ == State::kBody) space = body_.Space();
    if (state_ == State::kChunkedBody && chunks_.state() == ChunkDecoder::State::kData &&
        chunks_.data_left() >= kDirectReadBytes) {
      space = body_.Space(std::min<uint64_t>(chunks_.data_left(), kReadBytesMax));
      space = space.first(std::min<uint64_t>(space.size(), chunks_.data_left()));
    }
    reading_into_body_ = !space.empty();
    if (reading_into_body_) return space;
  }
  if (input_begin_ > 0 && input_end_ == input_capacity_) {
    std::memmove(input_.get(), input_.get() + input_begin_, input_end_ - input_begin_);
    input_end_ -= std::exchange(input_begin_, 0);
  }
  if (input_end_ == input_capacity_ && state_ != State::kExecuting) {
    const size_t capacity = std::max(kInputBytes, 2 * input_capacity_);
    auto grown = std::make_unique_for_overwrite<std::byte[]>(capacity);
    if (input_end_ > 0) std::memcpy(grown.get(), input_.get(), input_end_);
    input_ = std::move(grown);
    input_capacity_ = capacity;
  }
  return {input_.get() + input_end_, input_capacity_ - input_end_};
}

void Session::OnRead(size_t bytes) {
  if (!reading_into_body_) {
    input_end_ += bytes;
  } else {
    reading_clock_.Restart();
    if (state_ == State::kChunkedBody) chunks_.Advance(bytes);
    OnFill(body_.Commit(bytes));
  }
  Advance();
}

// Does all that the input allows. A response that is made meanwhile, inside a call of the handler, only changes the
// state.
void Session::Advance() {
  if (std::exchange(advancing_, true)) return;
  for (bool more = true; more;) {
    switch (state_) {
      case State::kHead: more = !above_high_water() && ReadHead(); break;
      case State::kBody: more = ReadBody(); break;
      case State::kChunkedBody: more = ReadChunkedBody(); break;
      case State::kDraining: more = Drain(); break;
      case State::kExecuting: more = false; break;
      case State::kFinished:
        input_begin_ = input_end_ = 0;
        more = false;
        break;
    }
  }
  advancing_ = false;
  UpdateReading();
}

void Session::UpdateReading() {
  const bool full = state_ == State::kExecuting && input_end_ - input_begin_ == input_capacity_;
  const bool pause = state_ != State::kFinished && (full || above_high_water());
  if (pause == reading_paused_) return;
  reading_paused_ = pause;
  if (pause) {
    host_.PauseReading();
  } else {
    host_.ResumeReading();
  }
}

bool Session::AtHttp2Preface() {
  return successor_ != nullptr && scanner_.begin() == 0 && input().starts_with(kHttp2Preface.substr(0, 18));
}

bool Session::ReadHead() {
  const std::string_view text = input();
  if (text.empty()) return false;
  if (request_.received_ns == 0) {
    request_.received_ns = base::SystemClock().NowNs();
    reading_clock_.Restart();
  }
  switch (scanner_.Scan(text)) {
    case HeadScanner::State::kMore:
      if (eof_) Finish();
      return false;
    case HeadScanner::State::kError: Refuse(scanner_.error().status, scanner_.error().message); return true;
    case HeadScanner::State::kDone: break;
  }
  if (AtHttp2Preface()) {
    state_ = State::kFinished;
    successor_->OnHttp2Preface(Bytes(text));
    return true;
  }
  OnHead(text.substr(scanner_.begin(), scanner_.end() - scanner_.begin()));
  return true;
}

// The head is copied once, to memory of its own size that goes where the request goes.
void Session::OnHead(std::string_view text) {
  const size_t end = scanner_.end();
  scanner_.Reset();
  const std::string_view peer = host_.peer();
  auto store = std::make_shared_for_overwrite<char[]>(text.size() + peer.size());
  std::memcpy(store.get(), text.data(), text.size());
  std::memcpy(store.get() + text.size(), peer.data(), peer.size());
  Skip(end);
  RequestHead& head = request_.head;
  head.peer = {store.get() + text.size(), peer.size()};
  head.tls = host_.tls();
  auto framing = ParseHead({store.get(), text.size()}, host_.limits(), head);
  request_.store = std::move(store);
  request_id_ = head.request_id;
  if (!framing.has_value()) return Refuse(framing.error().status, framing.error().message);
  framing_ = *framing;
  head_only_ = head.method == Method::kHead;
  BeginBody();
}

bool Session::Upgrade() {
  if (successor_ == nullptr || !framing_.upgrade_h2c || host_.tls() || sink_ != nullptr) return false;
  const State before = std::exchange(state_, State::kFinished);
  if (successor_->OnHttp2Upgrade(framing_.http2_settings, request_, Bytes(input()))) return true;
  state_ = before;
  return false;
}

void Session::Execute() {
  if (Upgrade()) return;
  state_ = State::kExecuting;
  host_.metrics().BeginRequest();
  if (sink_ != nullptr) return ExecuteSink();
  request_.body = body_.Finish();
  Reply reply = Open();
  host_.handler().OnRequest(std::move(request_), std::move(reply));
}

void Session::ExecuteSink() {
  sink_->Begin(host_.bodies());
  const base::BufferSlice body = body_.Finish();
  if (!body.empty()) sink_->OnBody(body.bytes());
  sink_->OnBodyEnd();
  Reply reply = Open();
  sink_->Open(std::move(request_), std::move(reply));
  if (open()) sink_->Proceed();
}

void Session::OnEof() {
  eof_ = true;
  switch (state_) {
    case State::kExecuting:
      // The peer is taken for gone: what is queued is cancelled, what runs is still answered.
      if (!host_.limits().keep_half_closed && on_peer_gone_) std::exchange(on_peer_gone_, nullptr)();
      break;
    case State::kHead:
      if (!above_high_water() || input().empty() || !host_.limits().keep_half_closed) Finish();
      break;
    case State::kBody:
    case State::kChunkedBody:
    case State::kDraining: Finish(); break;
    case State::kFinished: break;
  }
}

void Session::OnClosed() {
  state_ = State::kFinished;
  on_writable_ = nullptr;
  const base::Task gone = std::exchange(on_peer_gone_, nullptr);
  EndRequest();
  sink_ = nullptr;
  if (gone) const_cast<base::Task&>(gone)();
}

void Session::EndRequest() {
  if (!open()) return;
  Close();
  host_.metrics().EndRequest();
}

void Session::Finish() {
  state_ = State::kFinished;
  body_ = Body();
  host_.CloseAfterWrite();
}

bool Session::idle() const {
  return (state_ == State::kHead || state_ == State::kFinished) && input().empty() && output_.bytes() == 0;
}

void Session::OnTick(int64_t now_ns) {
  const Limits& limits = host_.limits();
  if (output_.bytes() > 0) {
    if (writing_clock_.Passed(now_ns, limits.body_timeout)) host_.Abort();
    return;
  }
  writing_clock_.Restart();
  switch (state_) {
    case State::kHead:
      if (!input().empty() && (HasNext() || !draining_)) {
        if (reading_clock_.Passed(now_ns, limits.header_timeout)) Refuse(408, "request header did not arrive in time");
        return;
      }
      if (input().empty()) {  // an idle connection holds no memory
        input_.reset();
        input_capacity_ = 0;
        output_.Shrink();
      }
      if (reading_clock_.Passed(now_ns,
                                draining_ ? std::min(limits.drain_idle, limits.idle_timeout) : limits.idle_timeout)) {
        Finish();
      }
      return;
    case State::kBody:
    case State::kChunkedBody:
      if (reading_clock_.Passed(now_ns, limits.body_timeout)) Refuse(408, "request body did not arrive in time");
      return;
    case State::kDraining:
      if (reading_clock_.Passed(now_ns, limits.body_timeout)) Finish();
      return;
    case State::kExecuting:
    case State::kFinished: return;
  }
}

}  // namespace inferd::net::http1
