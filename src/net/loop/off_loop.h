#pragma once

#include <memory>
#include <utility>

#include "base/executor.h"
#include "net/loop/loop.h"

namespace inferd::net {

// A step of a call that may be too much for its loop: runs `work(*call)` on `pool` if it is `big`, else on `loop`, and
// then `next(call)` on the loop. What is not big runs at once where this is the loop's thread already. From any thread;
// `pool` and the loop outlive the step.
template <typename Call, typename Work, typename Next>
void WorkThenGoOn(std::unique_ptr<Call> call, Loop& loop, base::Executor& pool, bool big, Work work, Next next) {
  if (big) {
    pool.Post([call = std::move(call), &loop, work, next]() mutable {
      work(*call);
      loop.Post([call = std::move(call), next]() mutable { next(*call); });
    });
  } else if (loop.InLoopThread()) {
    work(*call);
    next(*call);
  } else {
    loop.Post([call = std::move(call), work, next]() mutable {
      work(*call);
      next(*call);
    });
  }
}

}  // namespace inferd::net
