#include "net/loop/task_queue.h"

#include <memory>
#include <utility>

#include "base/memory_shortage.h"

namespace inferd::net {

bool TaskQueue::Push(base::Task task) {
  auto node = std::make_unique<Node>(std::move(task));
  Node* head = head_.load(std::memory_order_acquire);
  do {
    if (head == &closed_) return false;
    node->next = head == &asleep_ ? nullptr : head;
  } while (!head_.compare_exchange_weak(head, node.get(), std::memory_order_acq_rel, std::memory_order_acquire));
  static_cast<void>(node.release());  // now the list's
  return head == &asleep_;
}

bool TaskQueue::Sleep() {
  Node* expected = nullptr;
  return head_.compare_exchange_strong(expected, &asleep_, std::memory_order_acq_rel) || expected == &asleep_;
}

TaskQueue::Node* TaskQueue::Take(Node* next_state) {
  if (next_state == nullptr && head_.load(std::memory_order_relaxed) == nullptr) return nullptr;
  Node* head = head_.exchange(next_state, std::memory_order_acq_rel);
  if (head == &asleep_ || head == &closed_) return nullptr;
  Node* ordered = nullptr;
  while (head != nullptr) {
    Node* next = std::exchange(head->next, ordered);
    ordered = std::exchange(head, next);
  }
  return ordered;
}

void TaskQueue::RunAll() {
  Node* node = Take(nullptr);
  while (node != nullptr) {
    std::unique_ptr<Node> current(node);
    node = node->next;
    base::RunUnlessOutOfMemory(current->task);
  }
}

void TaskQueue::Close() {
  Node* node = Take(&closed_);
  while (node != nullptr) {
    std::unique_ptr<Node> current(node);
    node = node->next;
  }
}

}  // namespace inferd::net
