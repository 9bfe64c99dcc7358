#include "net/grpc/call_sink.h"

#include <chrono>
#include <utility>

#include "base/turn.h"
#include "net/compression/compression.h"

namespace inferd::net::grpc {

namespace {

constexpr int64_t kMillisecondNs = 1'000'000;

// A compressed message that cannot be decoded is the sender's bug (statuscodes.md), not an invalid argument.
base::Status DecodingError(const base::Status& status) {
  if (status.code() != base::StatusCode::kInvalidArgument) return status;
  return base::Internal("received a compressed message: " + status.message());
}

uint64_t BytesMaxOf(const Method& method, const Options& options) {
  return method.message_bytes_max != 0 ? method.message_bytes_max : options.message_bytes_max;
}

}  // namespace

CallSink::CallSink(const Environment& environment, Method& method, const CallHeaders& headers,
                   std::shared_ptr<Responder::State> state)
    : environment_(environment),
      method_(method),
      headers_(headers),
      state_(std::move(state)),
      assembler_({.bytes_max = BytesMaxOf(method, environment.options),
                  .compression = headers.coding != ContentCoding::kIdentity,
                  .align_at = &method.align_at}) {}

CallSink::~CallSink() {
  OnFinished();
  state_->Disconnect();
}

void CallSink::Begin(BodyPool& bodies) {
  bodies_ = &bodies;
  assembler_.Begin(bodies);
}

std::span<std::byte> CallSink::Space() {
  const bool kept = backlog_ == nullptr && !failed() && !state_->finished();
  return kept ? assembler_.Space() : std::span<std::byte>();
}

void CallSink::OnBody(std::span<const std::byte> bytes) {
  while (!bytes.empty() && !failed() && !state_->finished()) {
    if (backlog_ != nullptr || (blocked() && !assembler_.inside())) return Keep(bytes);
    auto message = assembler_.Take(bytes);
    if (!message.has_value()) return Fail(std::move(message).error());
    if (message->has_value()) messages_.push_back(**std::move(message));
    if (unary() && messages_.size() > 1) return Fail(base::Unimplemented("received several messages for a unary call"));
  }
}

void CallSink::OnBodyEnd() {
  half_closed_ = true;
  if (!unary() || failed()) return;
  if (assembler_.inside()) return Fail(base::Internal("the request ended inside a message"));
  if (messages_.empty()) return Fail(base::Unimplemented("received no message for a unary call"));
}

void CallSink::Open(HttpRequest request, Reply reply) {
  context_.head = std::move(request.head);
  context_.store = std::move(request.store);
  context_.received_ns = request.received_ns;
  state_->Open(std::move(reply), request.received_ns, *this);
  if (headers_.timeout_ns.has_value()) SetDeadline();
}

void CallSink::SetDeadline() {
  const int64_t timeout_ns = *headers_.timeout_ns;
  context_.deadline_ns = environment_.clock.NowNs() + timeout_ns;
  if (timeout_ns == 0) return Fail(DeadlinePassed());
  const std::chrono::milliseconds delay((timeout_ns + kMillisecondNs - 1) / kMillisecondNs);
  deadline_ = state_->loop().RunAfter(delay, [this] {
    deadline_ = 0;
    state_->Abort(DeadlinePassed());
  });
}

void CallSink::Fail(base::Status status) {
  if (!failed()) failure_ = std::make_unique<const base::Status>(std::move(status));
  messages_.clear();
  next_ = 0;
}

void CallSink::Keep(std::span<const std::byte> bytes) {
  if (backlog_ == nullptr) backlog_ = std::make_unique<Backlog>(*bodies_);
  if (!backlog_->Append(bytes)) Fail(TooManyBytes());
}

void CallSink::Proceed() {
  if (state_->finished()) return;
  if (failed()) return state_->Abort(*failure_);
  if (unary()) return CallUnary();
  if (!std::exchange(begun_, true)) {
    reader_ = method_.streaming(std::move(context_), Responder(state_));
    if (state_->finished()) return OnFinished();
  }
  Deliver();
}

bool CallSink::AwaitsMore() const {
  return !half_closed_ && !blocked() && !state_->finished() && (unary() || assembler_.inside());
}

void CallSink::CallUnary() {
  if (!half_closed_ || inflating_ || begun_) return;
  if (messages_[0].compressed && !Inflate(messages_[0])) {
    if (failed()) state_->Abort(*failure_);
    return;
  }
  begun_ = true;
  method_.unary(std::move(context_), std::move(messages_[0].bytes), Responder(state_));
}

void CallSink::Deliver() {
  if (std::exchange(delivering_, true)) return;
  while (!blocked() && !state_->finished()) {
    WireMessage* message = Next();
    if (message == nullptr) break;
    if (message->compressed && !Inflate(*message)) continue;
    base::BufferSlice bytes = std::move(message->bytes);
    ++next_;
    const base::Turn::More more(base::Turn::Current(), next_ < messages_.size());
    if (reader_ != nullptr) reader_->OnMessage(std::move(bytes));
  }
  delivering_ = false;
  if (state_->finished()) return;
  if (failed()) return state_->Abort(*failure_);
  if (blocked() || !half_closed_ || next_ < messages_.size() || backlog_ != nullptr) return;
  if (assembler_.inside()) return state_->Abort(base::Internal("the request ended inside a message"));
  if (!std::exchange(told_, true) && reader_ != nullptr) reader_->OnHalfClose();
}

WireMessage* CallSink::Next() {
  if (next_ < messages_.size()) return &messages_[next_];
  messages_.clear();
  next_ = 0;
  if (auto message = Cut()) return &messages_.emplace_back(*std::move(message));
  return nullptr;
}

std::optional<WireMessage> CallSink::Cut() {
  while (backlog_ != nullptr && !failed()) {
    std::span<const std::byte> bytes = backlog_->Front();
    const size_t size = bytes.size();
    auto message = assembler_.Take(bytes);
    backlog_->Drop(size - bytes.size());
    if (backlog_->empty()) backlog_.reset();
    if (!message.has_value()) {
      Fail(std::move(message).error());
    } else if (message->has_value()) {
      return **std::move(message);
    }
  }
  return std::nullopt;
}

bool CallSink::Inflate(WireMessage& message) {
  const DecompressLimits limits{.bytes_max = BytesMaxOf(method_, environment_.options),
                                .ratio_max = environment_.options.compression_ratio_max};
  if (message.bytes.size() < environment_.options.offload_compressed_bytes) {
    PutInflated(message, Decompress(headers_.coding, message.bytes, limits));
    return !failed();
  }
  inflating_ = true;
  UpdateFlow();
  environment_.pool.Post(
      [state = state_, coding = headers_.coding, limits, coded = std::move(message.bytes)]() mutable {
        auto bytes = Decompress(coding, coded, limits);
        coded = {};
        Loop& loop = state->loop();
        loop.Post([state = std::move(state), bytes = std::move(bytes)]() mutable {
          if (CallSink* sink = state->sink()) sink->OnInflated(std::move(bytes));
        });
      });
  return false;
}

void CallSink::OnInflated(base::Result<base::BufferSlice> bytes) {
  inflating_ = false;
  if (state_->finished()) return;
  if (!failed()) PutInflated(messages_[next_], std::move(bytes));
  UpdateFlow();
  Proceed();
}

void CallSink::PutInflated(WireMessage& message, base::Result<base::BufferSlice> bytes) {
  if (!bytes.has_value()) return Fail(DecodingError(bytes.error()));
  if (!bodies_->Charge(*bytes)) return Fail(TooManyBytes());
  message = {.bytes = *std::move(bytes), .compressed = false};
}

void CallSink::PauseReading() {
  paused_ = true;
  UpdateFlow();
}

void CallSink::ResumeReading() {
  if (!std::exchange(paused_, false)) return;
  UpdateFlow();
  // Waiting messages are not delivered inside this call, since the reader may be the caller.
  if (!delivering_ && !state_->finished()) {
    state_->loop().Post([state = state_] {
      if (CallSink* sink = state->sink()) sink->Proceed();
    });
  }
}

void CallSink::UpdateFlow() {
  if (std::exchange(stopped_, blocked()) == blocked() || state_->finished()) return;
  if (stopped_) {
    state_->reply().PauseBody();
  } else {
    state_->reply().ResumeBody();
  }
}

void CallSink::OnFinished() {
  if (deadline_ != 0) state_->loop().CancelTimer(std::exchange(deadline_, 0));
  // The reader may be the caller, and the task that OnCancelled() was given may still refer to it.
  if (reader_ != nullptr) state_->loop().Post([reader = std::move(reader_)] {});
  messages_.clear();
  next_ = 0;
  backlog_.reset();
}

}  // namespace inferd::net::grpc
