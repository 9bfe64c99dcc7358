#pragma once

#include <gtest/gtest.h>

#include "net/event_loop.h"
#include "net/upstream/on_loop_fixture.h"

namespace inferd::net::upstream {

// A loop on which a test makes, uses and destroys loop-bound objects.
class LoopTest : public ::testing::Test {
 protected:
  void OnLoop(base::Task task) { RunOnLoop(loop_, std::move(task)); }

  EventLoop loop_{0};
};

}  // namespace inferd::net::upstream
