#pragma once

#include <functional>
#include <utility>

namespace inferd::base {

// Work for some other thread: a loop, a pool, or, in tests, a queue that the test runs by hand.
using Task = std::move_only_function<void()>;

// Thread-safe. Every task accepted runs exactly once or is destroyed unrun when the executor stops; tasks posted by one
// thread to a single-threaded executor run in order.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void Post(Task task) = 0;
};

// Runs `run`; or `otherwise`, if it is destroyed unrun. It is a Task, for an executor that may stop before it comes to
// it.
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
  Task run_;  // empty: it has been run, or moved from
  Task otherwise_;
};

}  // namespace inferd::base
