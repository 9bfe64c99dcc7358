#pragma once

#include <gtest/gtest.h>

#include <future>

#include "net/event_loop.h"

namespace inferd::net::upstream {

// A loop, whose bound objects a test makes, uses and destroys there.
class LoopTest : public ::testing::Test {
 protected:
  void OnLoop(base::Task task) {
    std::promise<void> done;
    loop_.Post([&] {
      task();
      done.set_value();
    });
    done.get_future().wait();
  }

  EventLoop loop_{0};
};

}  // namespace inferd::net::upstream
