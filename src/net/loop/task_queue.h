#pragma once

#include <atomic>

#include "base/executor.h"

namespace inferd::net {

// Tasks for one loop from any thread: an intrusive list that producers push onto with one compare-and-swap, and whose
// head also says whether the consumer sleeps, so that exactly one producer per sleep has to wake it.
//
//   empty/filled --Sleep()--> asleep --Push()--> filled --Take()--> empty;   any --Close()--> closed
//
// Push is thread-safe; the rest is the consumer's. A closed queue destroys what is pushed.
class TaskQueue final {
 public:
  TaskQueue() = default;
  ~TaskQueue() { Close(); }
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  // True: the consumer sleeps and must be woken, by this caller.
  bool Push(base::Task task);
  // Before waiting: false if there is work, and no wake-up will be asked for.
  bool Sleep();
  // Runs what was there at the call, in order of pushing; what these tasks push waits for the next call.
  void RunAll();
  // Destroys what is queued, unrun.
  void Close();

 private:
  struct Node {
    base::Task task;
    Node* next = nullptr;
  };

  // In order; leaves `next_state` behind. nullptr if there is none.
  Node* Take(Node* next_state);

  Node asleep_;
  Node closed_;
  std::atomic<Node*> head_{nullptr};  // newest first; or a state: nullptr, &asleep_, &closed_
};

}  // namespace inferd::net
