#pragma once

#include <functional>
#include <utility>

namespace inferd::base {

// Work for another thread: a loop, a pool or, in tests, a queue that the test runs by hand.
using Task = std::move_only_function<void()>;

// An executor of tasks. Each accepted task runs exactly once, or is destroyed unrun when the executor stops. Tasks
// posted by one thread to a single-threaded executor run in order. Thread-safe.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void Post(Task task) = 0;
};

// A Task that runs `run`, or runs `otherwise` if it is destroyed before it has run. For executors that may stop first.
class TaskOrElse final {
 public:
  TaskOrElse(Task run, Task otherwise) : run_(std::move(run)), otherwise_(std::move(otherwise)) {}
  TaskOrElse(TaskOrElse&& from) noexcept : run_(std::exchange(from.run_, {})), otherwise_(std::move(from.otherwise_)) {}
  TaskOrElse& operator=(TaskOrElse&&) = delete;
  ~TaskOrElse() {
    if (run_) otherwise_();
  }

  void operator()() { std::exchange(run_, {})(); }

 private:
  Task run_;  // empty after it has run or was moved from
  Task otherwise_;
};

}  // namespace inferd::base
