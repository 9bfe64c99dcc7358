#pragma once

#include <future>
#include <utility>

#include "net/event_loop.h"

namespace inferd::net::upstream {

// Runs the task on the loop, and returns when it has run.
inline void RunOnLoop(EventLoop& loop, base::Task task) {
  std::promise<void> done;
  loop.Post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

}  // namespace inferd::net::upstream
