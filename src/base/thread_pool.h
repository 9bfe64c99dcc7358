#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/executor.h"

namespace inferd::base {

// A fixed number of named threads over one FIFO queue. Thread-safe.
//
// The destructor runs what is queued, then joins. A task may destroy the pool that runs it: its own thread is not
// joined then, and ends after the task and what is still queued.
class ThreadPool final : public Executor {
 public:
  // `name` is cut to 15 bytes (the kernel's limit). `threads` >= 1. Throws std::system_error: there are not so many to
  // be had.
  ThreadPool(std::string name, size_t threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Post(Task task) override;
  size_t queued() const;

 private:
  struct Queue;

  void End();

  const std::shared_ptr<Queue> queue_;  // the threads', too, of which one may outlive this
  std::vector<std::thread> threads_;
};

// Names the calling thread as tools such as top and gdb show it.
void SetThreadName(const std::string& name);

}  // namespace inferd::base
