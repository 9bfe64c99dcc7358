#include "base/thread_pool.h"

#include <pthread.h>

#include <system_error>
#include <utility>

#include "base/memory_shortage.h"

namespace inferd::base {

void SetThreadName(const std::string& name) { pthread_setname_np(pthread_self(), name.substr(0, 15).c_str()); }

ThreadPool::ThreadPool(std::string name, size_t threads) {
  threads_.reserve(threads);
  try {
    for (size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this, name] {
        SetThreadName(name);
        Run();
      });
    }
  } catch (const std::system_error&) {
    {
      MutexLock lock(mutex_);
      stopping_ = true;
    }
    ready_.NotifyAll();
    for (auto& thread : threads_) thread.join();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  ready_.NotifyAll();
  for (auto& thread : threads_) thread.join();
}

void ThreadPool::Post(Task task) {
  {
    MutexLock lock(mutex_);
    queue_.push_back(std::move(task));
  }
  ready_.NotifyOne();
}

size_t ThreadPool::queued() const {
  MutexLock lock(mutex_);
  return queue_.size();
}

void ThreadPool::Run() {
  for (;;) {
    Task task;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) ready_.Wait(mutex_);
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    RunUnlessOutOfMemory(task);
  }
}

}  // namespace inferd::base
