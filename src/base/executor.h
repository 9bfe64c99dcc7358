#pragma once

#include <functional>

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

}  // namespace inferd::base
