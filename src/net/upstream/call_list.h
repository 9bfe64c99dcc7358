#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "net/end_of_turn.h"
#include "net/event_loop.h"

namespace inferd::net::upstream {

// The calls of a loop that are under way, each of which says when it is done, perhaps in the middle of a call of its
// own. `Call` has `size_t index`, which is this list's. Loop-bound.
template <typename Call>
class CallList final {
 public:
  explicit CallList(EventLoop& loop) : done_(loop) {}

  Call& Add(std::unique_ptr<Call> call) {
    call->index = calls_.size();
    return *calls_.emplace_back(std::move(call));
  }

  // It is destroyed at the end of the loop's turn.
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
