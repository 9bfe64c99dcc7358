#include "agent/batcher/batch_call.h"

#include <cstring>
#include <string>
#include <utility>

namespace inferd::agent {

namespace {

constexpr uint64_t kAnswerBytesMax = uint64_t{1} << 30;

std::string_view TextOf(const base::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

}  // namespace

BatchCall::~BatchCall() {
  if (timer_ != 0) loop_.CancelTimer(timer_);
}

void BatchCall::Start(net::upstream::Pool& pool, const net::upstream::Address& component,
                      std::chrono::milliseconds timeout) {
  timer_ = loop_.RunAfter(timeout, [this] {
    timer_ = 0;
    GiveUp();
    Fail(504, "the model did not answer in time");
  });
  const std::string_view host = component.family() == AF_UNIX ? std::string_view("localhost") : component.text();
  const net::upstream::FieldView fields[] = {{"Host", host}, {"Content-Type", "application/json"}};
  net::upstream::Request request;
  request.method = "POST";
  request.target = batch_->target();
  request.fields = fields;
  request.body = batch_->TakeBody();
  if (const base::Status sent = pool.Send(component, request, *this); !sent.ok()) {
    loop_.CancelTimer(timer_);
    timer_ = loop_.RunAfter(std::chrono::milliseconds(0), [this, text = std::string(sent.message())] {
      timer_ = 0;
      Fail(503, text);
    });
  }
}

void BatchCall::OnHead(const net::upstream::ResponseHead& head) { status_ = head.status; }

void BatchCall::OnBody(base::BufferSlice piece) {
  bytes_ += piece.size();
  if (bytes_ > kAnswerBytesMax) {
    GiveUp();
    return Fail(502, "the model's answer is too long");
  }
  pieces_.push_back(std::move(piece));
}

base::Buffer BatchCall::Joined() const {
  base::Buffer joined = base::Buffer::Allocate(bytes_);
  size_t used = 0;
  for (const base::BufferSlice& piece : pieces_) {
    std::memcpy(joined.data() + used, piece.data(), piece.size());
    used += piece.size();
  }
  return joined;
}

void BatchCall::OnEnd() {
  const base::Buffer answer = Joined();
  if (status_ == 200) {
    batch_->Answer(answer);
    return Done();
  }
  // A success of another kind has no predictions.
  Fail(status_ >= 400 ? status_ : 502, TextOf(answer));
}

void BatchCall::OnFailure(net::upstream::Failure failure) {
  using Kind = net::upstream::Failure::Kind;
  Fail(failure.kind == Kind::kNotConnected ? 503 : 502, failure.text);
}

void BatchCall::Fail(int status, std::string_view message) {
  batch_->Fail(status, message);
  Done();
}

void BatchCall::Done() { on_done_(*this); }

}  // namespace inferd::agent
