#include "serving/worker/parent/answer_collectors.h"

#include <limits>
#include <system_error>
#include <utility>

#include "base/thread_pool.h"

namespace inferd::worker {

namespace {

constexpr int64_t kUntilFinishedNs = std::numeric_limits<int64_t>::max();

}  // namespace

AnswerCollectors::~AnswerCollectors() {
  std::vector<std::thread> threads;
  {
    const base::MutexLock lock(mutex_);
    ending_ = true;
    changed_.NotifyAll();
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void AnswerCollectors::Collect(std::shared_ptr<ChannelCaller> caller, core::Execution& execution) {
  {
    const base::MutexLock lock(mutex_);
    if (jobs_.size() < idle_ || Start()) {
      jobs_.push_back({.caller = std::move(caller), .execution = &execution});
      changed_.NotifyOne();
      return;
    }
  }
  caller->Collect(execution, kUntilFinishedNs);
}

// If all threads are running, one of them is about to be free: at most threads_max executions are unfinished, and this
// one is among them.
bool AnswerCollectors::Start() {
  if (threads_.size() == threads_max_) return true;
  try {
    threads_.emplace_back([this] { Run(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

void AnswerCollectors::Run() {
  base::SetThreadName(thread_name_);
  base::MutexLock lock(mutex_);
  for (;;) {
    if (!jobs_.empty()) {
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job.caller->Collect(*job.execution, kUntilFinishedNs);
      lock.lock();
      continue;
    }
    if (ending_) return;
    ++idle_;
    changed_.Wait(mutex_);
    --idle_;
  }
}

}  // namespace inferd::worker
