#include "frontends/oip_grpc/response_queue.h"

#include <utility>

namespace inferd::oip_grpc {

uint64_t ResponseQueue::OpenRequest() {
  requests_.emplace_back();
  return first_ + requests_.size() - 1;
}

uint64_t ResponseQueue::OpenResponse(uint64_t request) {
  Request& open = At(request);
  open.responses.emplace_back();
  return open.taken + open.responses.size() - 1;
}

void ResponseQueue::Put(uint64_t request, uint64_t response, StreamResponse ready) {
  Request& open = At(request);
  open.responses[static_cast<size_t>(response - open.taken)] = std::move(ready);
}

void ResponseQueue::CloseRequest(uint64_t request) {
  At(request).closed = true;
  DropDone();
}

std::optional<StreamResponse> ResponseQueue::Next() {
  if (requests_.empty()) return std::nullopt;
  Request& front = requests_.front();
  if (front.responses.empty() || !front.responses.front().has_value()) return std::nullopt;
  std::optional<StreamResponse> next = std::move(front.responses.front());
  front.responses.pop_front();
  ++front.taken;
  DropDone();
  return next;
}

void ResponseQueue::DropDone() {
  while (!requests_.empty() && requests_.front().closed && requests_.front().responses.empty()) {
    requests_.pop_front();
    ++first_;
  }
}

}  // namespace inferd::oip_grpc
