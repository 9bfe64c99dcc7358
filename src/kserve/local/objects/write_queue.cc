#include "kserve/local/objects/write_queue.h"

#include <utility>

#include "base/thread_pool.h"

namespace inferd::local {

WriteQueue::WriteQueue(size_t threads, std::chrono::milliseconds retry_after) : retry_after_(retry_after) {
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

WriteQueue::~WriteQueue() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  ready_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

void WriteQueue::Submit(const apiserver::ObjectKey& key, Write write) {
  {
    const base::MutexLock lock(mutex_);
    failed_.erase(key);
    const bool waits = !waiting_.insert_or_assign(key, std::move(write)).second;
    if (waits || under_way_.contains(key)) return;
    order_.push_back(key);
  }
  ready_.NotifyOne();
}

void WriteQueue::Run() {
  base::SetThreadName("status");
  const base::MutexLock lock(mutex_);
  while (Await()) Do();
}

bool WriteQueue::Await() {
  while (!stopping_ && order_.empty()) {
    if (failed_.empty()) {
      ready_.Wait(mutex_);
    } else if (std::chrono::steady_clock::now() >= retry_at_) {
      RetryFailed();
    } else {
      ready_.WaitUntil(mutex_, retry_at_);
    }
  }
  return !order_.empty();
}

// Queues the failed writes again. Submit has already dropped those that a newer write replaces.
void WriteQueue::RetryFailed() {
  for (auto& [key, write] : failed_) {
    order_.push_back(key);
    waiting_.emplace(key, std::move(write));
  }
  failed_.clear();
  ready_.NotifyAll();
}

void WriteQueue::Do() {
  const apiserver::ObjectKey key = std::move(order_.front());
  order_.pop_front();
  Write write = std::move(waiting_.extract(key).mapped());
  under_way_.insert(key);
  mutex_.unlock();
  const bool done = write();
  mutex_.lock();
  under_way_.erase(key);
  if (waiting_.contains(key)) {
    order_.push_back(key);
    ready_.NotifyOne();
  } else if (!done) {
    if (failed_.empty()) retry_at_ = std::chrono::steady_clock::now() + retry_after_;
    failed_.insert_or_assign(key, std::move(write));
    // A thread that waits without a timeout must now wait until the retry.
    ready_.NotifyOne();
  }
}

}  // namespace inferd::local
