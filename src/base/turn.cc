#include "base/turn.h"

#include <thread>
#include <utility>

#include "base/memory_shortage.h"

namespace inferd::base {

Turn::Scope::Scope(Turn& turn) : turn_(turn), before_(std::exchange(current_, this)) {}

Turn::Scope::~Scope() { current_ = before_; }

bool Turn::Scope::Take(int64_t now_ns) {
  int64_t until_ns = lent_until_ns_.load(std::memory_order_relaxed);
  if (until_ns <= 0 || until_ns > now_ns) return false;
  taken_until_ns_ = until_ns;
  return lent_until_ns_.compare_exchange_strong(until_ns, kTaken, std::memory_order_acq_rel);
}

void Turn::Scope::Move() {
  borrower_->OnMoved();
  left_ = turn_.Leave();
  lent_until_ns_.store(kMoved, std::memory_order_release);
}

// The watch has taken the turn. Until the other thread has started, or failed to start, it is undecided which thread
// continues the turn.
bool Turn::Scope::TakeBackLate() {
  for (;;) {
    int64_t until_ns = lent_until_ns_.load(std::memory_order_acquire);
    if (until_ns == kMoved) {
      current_ = nullptr;
      return false;
    }
    if (until_ns == 0) return true;
    if (until_ns > 0 && lent_until_ns_.compare_exchange_strong(until_ns, 0, std::memory_order_acq_rel)) return true;
    std::this_thread::yield();
  }
}

void Turn::AskForWatch() {
  watched_.store(true, std::memory_order_seq_cst);
  watch_->WatchLent();
}

void Turn::Begin() {
  for (Task& task : next_) tasks_.push_back(std::move(task));
  next_.clear();
}

bool Turn::RunSteps() {
  const Scope* const scope = current_;
  in_step_ = is_movable();
  while (step_.run != nullptr) {
    const auto run = [step = std::exchange(step_, {})] { step.run(step.first, step.second); };
    RunUnlessOutOfMemory(run);
    if (current_ != scope) return false;
  }
  in_step_ = false;
  return true;
}

// The running task stays in the list: another thread may continue with the next one while this thread is still inside
// it.
bool Turn::EndWork() {
  const Scope* const scope = current_;
  for (;;) {
    if (!RunStep()) return false;
    if (begun_ == running_.size()) {
      running_.clear();
      begun_ = 0;
      if (tasks_.empty()) return true;
      std::swap(tasks_, running_);
    }
    in_step_ = is_movable();
    running_[begun_++]();
    if (current_ != scope) return false;
    in_step_ = false;
  }
}

std::vector<Task> Turn::Leave() {
  std::vector<Task> rest;
  for (; begun_ < running_.size(); ++begun_) rest.push_back(std::move(running_[begun_]));
  begun_ = 0;
  in_step_ = false;
  return std::exchange(running_, std::move(rest));
}

}  // namespace inferd::base
