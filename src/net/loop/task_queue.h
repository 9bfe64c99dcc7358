#pragma once

#include <atomic>

#include "base/executor.h"

namespace inferd::net {

// Tasks for one loop from any thread: an intrusive list onto which producers push with one compare-and-swap. Its head
// also records whether the consumer sleeps, so that exactly one producer per sleep has to wake it.
//
//   empty/filled --Sleep()--> asleep --Push()--> filled --Take()--> empty;   any --Close()--> closed
//
// Push is thread-safe; the other methods are for the consumer only. A closed queue destroys the tasks that are pushed.
class TaskQueue final {
 public:
  TaskQueue() = default;
  ~TaskQueue() { Close(); }
  TaskQueue(const TaskQueue&) = delete;
  TaskQueue& operator=(const TaskQueue&) = delete;

  // Returns true if the consumer sleeps; this caller must then wake it.
  bool Push(base::Task task);
  // Call before waiting. Returns false if there is work; then no wake-up will be requested.
  bool Sleep();
  // Runs the tasks that are queued at the call, in order of pushing. Tasks that these push wait for the next call.
  void RunAll();
  // Destroys the queued tasks unrun.
  void Close();

 private:
  struct Node {
    base::Task task;
    Node* next = nullptr;
  };

  // Takes all tasks, in order, and leaves `next_state` behind. nullptr if there is none.
  Node* Take(Node* next_state);

  Node asleep_;
  Node closed_;
  std::atomic<Node*> head_{nullptr};  // newest first; or a state: nullptr, &asleep_, &closed_
};

}  // namespace inferd::net
