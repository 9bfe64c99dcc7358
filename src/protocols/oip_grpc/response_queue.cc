#include "protocols/oip_grpc/response_queue.h"

#include <utility>

namespace inferd::oip_grpc {

uint64_t ResponseQueue::OpenRequest() {
  requests_.emplace_back();
  return first_ + requests_.size() - 1;
}

uint64_t ResponseQueue::MakeUnordered(uint64_t request) {
  Request& moved = At(request);
  moved.closed = true;
  moved.moved = true;
  ++moved_;
  ++unordered_requests_;
  // Usually the request came last, so nothing of it stays.
  while (!requests_.empty() && requests_.back().moved) {
    requests_.pop_back();
    --moved_;
  }
  DropDone();
  return kUnordered;
}

uint64_t ResponseQueue::OpenResponse(uint64_t request) {
  if (request == kUnordered) {
    unordered_.emplace_back();
    return first_unordered_ + unordered_.size() - 1;
  }
  Request& open = At(request);
  open.responses.emplace_back();
  return open.first + open.responses.size() - 1;
}

void ResponseQueue::Put(uint64_t request, uint64_t response, StreamResponse ready) {
  if (request == kUnordered) {
    unordered_[static_cast<size_t>(response - first_unordered_)].response = std::move(ready);
    return;
  }
  Request& open = At(request);
  open.responses[static_cast<size_t>(response - open.first)] = std::move(ready);
}

void ResponseQueue::CloseRequest(uint64_t request) {
  if (request != kUnordered) {
    At(request).closed = true;
    DropDone();
  } else if (unordered_.empty()) {
    --unordered_requests_;
  } else {
    ++unordered_.back().closed;
  }
}

std::optional<StreamResponse> ResponseQueue::Next() {
  const bool ordered = ordered_ready();
  if (unordered_ready() && (unordered_next_ || !ordered)) return NextUnordered();
  if (!ordered) return std::nullopt;
  unordered_next_ = true;
  Request& front = requests_.front();
  std::optional<StreamResponse> next = std::move(front.responses[front.left]);
  if (++front.left == front.responses.size()) {
    front.first += front.left;
    front.left = 0;
    front.responses.clear();
  }
  DropDone();
  return next;
}

std::optional<StreamResponse> ResponseQueue::NextUnordered() {
  unordered_next_ = false;
  Slot& front = unordered_.front();
  std::optional<StreamResponse> next = std::move(front.response);
  unordered_requests_ -= front.closed;
  unordered_.pop_front();
  ++first_unordered_;
  return next;
}

void ResponseQueue::DropDone() {
  while (!requests_.empty() && requests_.front().closed && requests_.front().empty()) {
    if (requests_.front().moved) --moved_;
    requests_.pop_front();
    ++first_;
  }
}

}  // namespace inferd::oip_grpc
