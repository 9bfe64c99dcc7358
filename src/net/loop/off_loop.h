#pragma once

#include <memory>
#include <utility>

#include "base/executor.h"
#include "base/memory_shortage.h"
#include "base/turn.h"
#include "net/loop/loop.h"

namespace inferd::net {

// A step of a call that may be too long for its loop. Runs `work(*call)` on `pool` if it is `big`, else on `loop`. Then
// runs `next(call)` on the loop. If this is the loop's thread already, a step that is not big runs at the end of this
// turn, after the executions of other calls (base::Turn). May be called on any thread. `pool` and the loop must outlive
// the step.
template <typename Call, typename Work, typename Next>
void WorkThenGoOn(std::unique_ptr<Call> call, Loop& loop, base::Executor& pool, bool big, Work work, Next next) {
  if (big) {
    pool.Post([call = std::move(call), &loop, work, next]() mutable {
      work(*call);
      loop.Post([call = std::move(call), next]() mutable { next(*call); });
    });
    return;
  }
  auto step = [call = std::move(call), work, next]() mutable {
    work(*call);
    next(*call);
  };
  if (!loop.InLoopThread()) {
    loop.Post(std::move(step));
  } else if (base::Turn* const turn = base::Turn::Current()) {
    turn->AtEnd([step = std::move(step)]() mutable { base::RunUnlessOutOfMemory(step); });
  } else {
    step();
  }
}

}  // namespace inferd::net
