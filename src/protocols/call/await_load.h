#pragma once

#include <utility>

#include "net/loop/loop.h"
#include "serving/core/dispatcher.h"

namespace inferd::call {

// Loads the version that `demand` names, and calls `then(call, outcome)` on `loop` when that has ended. `demand` must
// have no `done` yet. Holds `call` until then. Loop-bound; dispatcher and loop must outlive the call.
template <typename Call, typename Then>
void AwaitLoad(core::Dispatcher& dispatcher, net::Loop& loop, core::LoadDemand demand, Call call, Then then) {
  demand.done = [&loop, call = std::move(call), then = std::move(then)](core::LoadOutcome&& outcome) mutable {
    loop.Post([call = std::move(call), then = std::move(then), outcome = std::move(outcome)]() mutable {
      then(std::move(call), std::move(outcome));
    });
  };
  dispatcher.AwaitLoad(std::move(demand));
}

}  // namespace inferd::call
