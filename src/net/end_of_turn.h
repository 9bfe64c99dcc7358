#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "net/event_loop.h"

namespace inferd::net {

// Owns objects until the end of the loop's turn, since they may be in the middle of a call. Destroys them at its own
// end at the latest. Loop-bound.
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
  // The callback at the turn's end may run after this object is gone.
  const std::shared_ptr<std::vector<std::unique_ptr<Object>>> objects_ =
      std::make_shared<std::vector<std::unique_ptr<Object>>>();
};

}  // namespace inferd::net
