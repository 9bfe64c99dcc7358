#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "base/executor.h"
#include "base/mutex.h"

namespace inferd::base {

// A fixed number of named threads over one FIFO queue. Thread-safe.
//
// The destructor runs what is queued, then joins. Owned where the server is composed; never by a task that runs on it.
class ThreadPool final : public Executor {
 public:
  // `name` is cut to 15 bytes (the kernel's limit). `threads` >= 1.
  ThreadPool(std::string name, size_t threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Post(Task task) override;
  size_t queued() const;

 private:
  void Run();

  mutable Mutex mutex_;
  CondVar ready_;
  std::deque<Task> queue_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

// Names the calling thread as tools such as top and gdb show it.
void SetThreadName(const std::string& name);

}  // namespace inferd::base
