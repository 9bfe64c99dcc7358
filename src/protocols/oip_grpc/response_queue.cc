#include "protocols/oip_grpc/response_queue.h"

#include <utility>

namespace inferd::oip_grpc {

uint64_t ResponseQueue::OpenRequest() {
  requests_.emplace_back();
  return first_ + requests_.size() - 1;
}

uint64_t ResponseQueue::OpenResponse(uint64_t request) {
  Request& open = At(request);
  open.responses.emplace_back();
  return open.first + open.responses.size() - 1;
}

void ResponseQueue::Put(uint64_t request, uint64_t response, StreamResponse ready) {
  Request& open = At(request);
  open.responses[static_cast<size_t>(response - open.first)] = std::move(ready);
}

void ResponseQueue::CloseRequest(uint64_t request) {
  At(request).closed = true;
  DropDone();
}

bool ResponseQueue::ready() const {
  if (requests_.empty()) return false;
  const Request& front = requests_.front();
  return !front.empty() && front.responses[front.left].has_value();
}

std::optional<StreamResponse> ResponseQueue::Next() {
  if (!ready()) return std::nullopt;
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

void ResponseQueue::DropDone() {
  while (!requests_.empty() && requests_.front().closed && requests_.front().empty()) {
    requests_.pop_front();
    ++first_;
  }
}

}  // namespace inferd::oip_grpc
