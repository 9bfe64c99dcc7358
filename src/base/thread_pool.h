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
// The destructor runs the queued tasks, then joins the threads. A task may destroy the pool that runs it. Its own
// thread is then not joined; it ends after the task and the queued tasks.
class ThreadPool final : public Executor {
 public:
  // `name` is cut to 15 bytes (the kernel's limit). `threads` >= 1. Throws std::system_error if the system cannot
  // create so many threads.
  ThreadPool(std::string name, size_t threads);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Post(Task task) override;
  size_t queued() const;

 private:
  struct Queue;

  void End();

  const std::shared_ptr<Queue> queue_;  // shared with the threads, one of which may outlive the pool
  std::vector<std::thread> threads_;
};

// Names the calling thread for tools such as top and gdb.
void SetThreadName(const std::string& name);

}  // namespace inferd::base
