#include "protocols/rest/answer_deadline.h"

#include <algorithm>
#include <chrono>

namespace inferd::rest {

namespace {

constexpr int64_t kMillisecondNs = 1'000'000;

}  // namespace

void AnswerDeadline::Watch(const net::Reply& reply) {
  loop_ = &reply.loop();
  exchange_ = reply.key();
}

void AnswerDeadline::Arm() {
  if (state_ != State::kOpen) return;
  state_ = State::kArmed;
  const int64_t left_ns = std::max<int64_t>(at_ns_ - clock_.NowNs(), 0);
  timer_ = loop_->RunAfter(std::chrono::milliseconds((left_ns + kMillisecondNs - 1) / kMillisecondNs),
                           [self = shared_from_this()] { self->Expire(); });
}

void AnswerDeadline::Close() {
  if (state_ == State::kArmed) loop_->CancelTimer(timer_);
  if (state_ != State::kExpired) state_ = State::kClosed;
}

void AnswerDeadline::Expire() {
  state_ = State::kExpired;
  net::Reply reply = exchange_.Claim();
  if (reply) reply.Send(Answer());
}

}  // namespace inferd::rest
