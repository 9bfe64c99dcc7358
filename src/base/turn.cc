#include "base/turn.h"

#include <utility>

namespace inferd::base {

namespace {
thread_local Turn* current = nullptr;
}  // namespace

Turn* Turn::Current() { return current; }

Turn::Scope::Scope(Turn& turn) : before_(std::exchange(current, &turn)) {}

Turn::Scope::~Scope() { current = before_; }

void Turn::Begin() {
  for (Task& task : next_) tasks_.push_back(std::move(task));
  next_.clear();
}

void Turn::End() {
  while (!tasks_.empty()) {
    std::swap(tasks_, running_);
    for (Task& task : running_) task();
    running_.clear();
  }
}

}  // namespace inferd::base
