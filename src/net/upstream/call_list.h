#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "net/end_of_turn.h"
#include "net/event_loop.h"

namespace inferd::net::upstream {

// The calls in flight on a loop. A call announces its end itself, possibly in the middle of one of its own methods.
// `Call` has a `size_t index`, which this list uses. Loop-bound.
template <typename Call>
class CallList final {
 public:
  explicit CallList(EventLoop& loop) : done_(loop) {}

  Call& Add(std::unique_ptr<Call> call) {
    call->index = calls_.size();
    return *calls_.emplace_back(std::move(call));
  }

  // Removes the call, which is destroyed at the end of the loop's turn.
  void Remove(Call& call) {
    const size_t index = call.index;
    done_.Add(std::move(calls_[index]));
    if (index + 1 < calls_.size()) {
      calls_[index] = std::move(calls_.back());
      calls_[index]->index = index;
    }
    calls_.pop_back();
  }

 private:
  DestroyedAtEndOfTurn<Call> done_;
  std::vector<std::unique_ptr<Call>> calls_;
};

}  // namespace inferd::net::upstream
