#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "net/event_loop.h"

namespace inferd::net {

// Objects that are to be destroyed at the end of the loop's turn, since they may be in the middle of a call; at the
// latest with this. Loop-bound.
template <typename Object>
class DestroyedAtEndOfTurn final {
 public:
  explicit DestroyedAtEndOfTurn(EventLoop& loop) : loop_(loop) {}
  ~DestroyedAtEndOfTurn() { objects_->clear(); }
  DestroyedAtEndOfTurn(const DestroyedAtEndOfTurn&) = delete;
  DestroyedAtEndOfTurn& operator=(const DestroyedAtEndOfTurn&) = delete;

  void Add(std::unique_ptr<Object> object) {
    if (objects_->empty()) loop_.AtEndOfTurn([objects = objects_] { objects->clear(); });
    objects_->push_back(std::move(object));
  }

 private:
  EventLoop& loop_;
  // The turn's end may come after this has gone.
  const std::shared_ptr<std::vector<std::unique_ptr<Object>>> objects_ =
      std::make_shared<std::vector<std::unique_ptr<Object>>>();
};

}  // namespace inferd::net
