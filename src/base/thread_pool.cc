#include "base/thread_pool.h"

#include <pthread.h>

#include <deque>
#include <system_error>
#include <utility>

#include "base/memory_shortage.h"
#include "base/mutex.h"

namespace inferd::base {

struct ThreadPool::Queue {
  mutable Mutex mutex;
  CondVar ready;
  std::deque<Task> tasks GUARDED_BY(mutex);
  bool stopping GUARDED_BY(mutex) = false;

  // Runs tasks until the pool ends and the queue is empty.
  void Run() {
    for (;;) {
      Task task;
      {
        MutexLock lock(mutex);
        while (tasks.empty() && !stopping) ready.Wait(mutex);
        if (tasks.empty()) return;
        task = std::move(tasks.front());
        tasks.pop_front();
      }
      RunUnlessOutOfMemory(task);
    }
  }
};

void SetThreadName(const std::string& name) { pthread_setname_np(pthread_self(), name.substr(0, 15).c_str()); }

ThreadPool::ThreadPool(std::string name, size_t threads) : queue_(std::make_shared<Queue>()) {
  threads_.reserve(threads);
  try {
    for (size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([queue = queue_, name] {
        SetThreadName(name);
        queue->Run();
      });
    }
  } catch (const std::system_error&) {
    End();
    throw;
  }
}

ThreadPool::~ThreadPool() { End(); }

void ThreadPool::End() {
  {
    MutexLock lock(queue_->mutex);
    queue_->stopping = true;
  }
  queue_->ready.NotifyAll();
  for (auto& thread : threads_) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

void ThreadPool::Post(Task task) {
  {
    MutexLock lock(queue_->mutex);
    queue_->tasks.push_back(std::move(task));
  }
  queue_->ready.NotifyOne();
}

size_t ThreadPool::queued() const {
  MutexLock lock(queue_->mutex);
  return queue_->tasks.size();
}

}  // namespace inferd::base
