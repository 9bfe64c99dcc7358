#include "serving/scheduling/requests/answer_order.h"

#include <utility>

namespace inferd::scheduling {

void AnswerOrder::Join(core::QueuedRequest& queued) {
  base::MutexLock lock(mutex_);
  const uint64_t number = first_ + turns_.size();
  turns_.push_back({.completion = std::move(queued.completion),
                    .slot = std::move(queued.slot),
                    .trace = queued.held_back ? nullptr : queued.request->trace,
                    .kept = {}});
  queued.held_back = true;
  queued.completion =
      core::Completion([this, number](core::InferResponse response) { Send(number, std::move(response)); });
}

// This response's request holds the version, and so this object, until Send() ends.
void AnswerOrder::Send(uint64_t number, core::InferResponse response) {
  base::MutexLock lock(mutex_);
  turns_[number - first_].kept.push_back(std::move(response));
  if (sending_) return;
  sending_ = true;
  while (!turns_.empty() && !turns_.front().kept.empty()) {
    Turn& turn = turns_.front();  // its address does not change when others join
    core::InferResponse next = std::move(turn.kept.front());
    turn.kept.pop_front();
    if (!next.final) {
      lock.unlock();
      if (turn.trace != nullptr) core::TraceResponse(*turn.trace, next);
      turn.completion.Send(std::move(next));
      lock.lock();
      continue;
    }
    Turn last = std::move(turn);
    turns_.pop_front();
    ++first_;
    lock.unlock();
    if (last.trace != nullptr) core::TraceResponse(*last.trace, next);
    last.slot.Release();
    last.completion.Send(std::move(next));
    lock.lock();
  }
  sending_ = false;
}

}  // namespace inferd::scheduling
