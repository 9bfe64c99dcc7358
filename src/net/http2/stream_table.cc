#include "net/http2/stream_table.h"

#include <utility>

#include "base/turn.h"

namespace inferd::net::http2 {

Stream& StreamTable::Begin(int32_t id) {
  return *streams_.emplace(id, std::make_unique<Stream>(context_, id, context_.link.now_ns)).first->second;
}

std::unique_ptr<Stream> StreamTable::Take(int32_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return nullptr;
  std::unique_ptr<Stream> stream = std::move(found->second);
  streams_.erase(found);
  return stream;
}

void StreamTable::Clear() {
  context_.requests.ClearReady();
  streams_.clear();
}

void StreamTable::DeliverInOrder() {
  Requests& requests = context_.requests;
  while (!context_.link.failed && requests.deliverable()) {
    const int32_t id = requests.PopReady();
    const base::Turn::More more(base::Turn::Current(), requests.has_ready());
    if (Stream* stream = Find(id); stream != nullptr && stream->ready()) stream->Deliver();
  }
}

}  // namespace inferd::net::http2
