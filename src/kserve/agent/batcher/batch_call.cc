#include "kserve/agent/batcher/batch_call.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace inferd::agent {

namespace {

using net::upstream::Failure;

// Errors that do not depend on a request's rows, and those of an overloaded component.
constexpr std::array kOfAnyRequest = {401, 403, 404, 405, 407, 415, 429, 503, 504};

bool IsOfAnyRequest(int status) { return std::ranges::find(kOfAnyRequest, status) != kOfAnyRequest.end(); }

std::string_view TextOf(const base::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

}  // namespace

BatchCall::BatchCall(std::unique_ptr<Batch> batch, BatchRoom& room, net::Loop& loop, std::chrono::milliseconds timeout,
                     Done on_done)
    : batch_(std::move(batch)), room_(room), loop_(loop), on_done_(std::move(on_done)) {
  SetTimer(timeout, [this] {
    GiveUp();
    Fail(504, "the model did not answer in time");
  });
}

BatchCall::~BatchCall() {
  if (timer_ != 0) loop_.CancelTimer(timer_);
  room_.GiveBackAnswer(bytes_);
}

void BatchCall::SetTimer(std::chrono::milliseconds delay, base::Task task) {
  if (timer_ != 0) loop_.CancelTimer(timer_);
  timer_ = loop_.RunAfter(delay, [this, task = std::move(task)]() mutable {
    timer_ = 0;
    task();
  });
}

void BatchCall::Start(net::upstream::Pool& pool, const net::upstream::Address& component) {
  pool_ = &pool;
  component_ = &component;
  if (const base::Status sent = Send(false); !sent.ok()) {
    SetTimer(std::chrono::milliseconds(0), [this, text = std::string(sent.message())] { Fail(503, text); });
  }
}

base::Status BatchCall::Send(bool fresh) {
  const std::string_view host = component_->family() == AF_UNIX ? std::string_view("localhost") : component_->text();
  const net::upstream::FieldView fields[] = {{"Host", host}, {"Content-Type", "application/json"}};
  net::upstream::Request request;
  request.method = "POST";
  request.target = batch_->target();
  request.fields = fields;
  request.body = batch_->Body();
  return pool_->Send(*component_, request, *this, fresh);
}

bool BatchCall::Leave(uint64_t id) {
  if (!batch_->Leave(id)) return false;
  if (!batch_->empty()) return true;
  GiveUp();
  Finish();
  return true;
}

void BatchCall::OnHead(const net::upstream::ResponseHead& head) { status_ = head.status; }

void BatchCall::OnBody(base::BufferSlice piece) {
  if (!room_.TakeAnswer(piece.size())) {
    GiveUp();
    return Fail(502, "the model's answers are too long");
  }
  bytes_ += piece.size();
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
    const base::Status answered = batch_->Answer(answer);
    return answered.ok() ? Finish() : FailOrTakeApart(502, answered.message());
  }
  // A successful status other than 200 has no predictions.
  if (status_ < 400) return Fail(502, TextOf(answer));
  FailOrTakeApart(status_, TextOf(answer));
}

void BatchCall::OnFailure(Failure failure) {
  using Kind = Failure::Kind;
  // The component closed a reused connection before it read the batch, so the batch is sent again.
  if (failure.kind == Kind::kUntaken && !std::exchange(sent_again_, true)) {
    if (const base::Status sent = Send(true); sent.ok()) return;
  }
  Fail(failure.kind == Kind::kNotConnected ? 503 : 502, failure.text);
}

void BatchCall::FailOrTakeApart(int status, std::string_view message) {
  if (batch_->callers() < 2 || IsOfAnyRequest(status)) return Fail(status, message);
  Finish(batch_->TakeApart());
}

void BatchCall::Fail(int status, std::string_view message) {
  batch_->Fail(status, message);
  Finish();
}

void BatchCall::Finish(Batches instead) { on_done_(*this, std::move(instead)); }

}  // namespace inferd::agent
