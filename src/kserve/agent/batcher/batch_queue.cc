#include "kserve/agent/batcher/batch_queue.h"

#include <algorithm>
#include <utility>

namespace inferd::agent {

BatchQueue::BatchQueue(const BatchOptions& options, const net::upstream::Address& component, net::EventLoop& loop,
                       BatchRoom& room)
    : options_(options),
      component_(component),
      loop_(loop),
      room_(room),
      pool_(loop, {.idle_max = options.batches_max}),
      calls_(loop) {}

void BatchQueue::Push(std::unique_ptr<Batch> batch) {
  waiting_.push_back(&Make(std::move(batch)));
  SendWaiting();
}

BatchCall& BatchQueue::Make(std::unique_ptr<Batch> batch) {
  return calls_.Add(std::make_unique<BatchCall>(
      std::move(batch), room_, loop_, options_.timeout,
      [this](BatchCall& call, BatchCall::Batches instead) { OnDone(call, std::move(instead)); }));
}

void BatchQueue::SendWaiting() {
  while (!waiting_.empty() && under_way_.size() < options_.batches_max) {
    BatchCall& call = *waiting_.front();
    waiting_.pop_front();
    under_way_.push_back(&call);
    call.Start(pool_, component_);
  }
}

void BatchQueue::Leave(uint64_t id) {
  // Leave may end the call and change the lists, so return at once.
  for (BatchCall* call : waiting_) {
    if (call->Leave(id)) return;
  }
  for (BatchCall* call : under_way_) {
    if (call->Leave(id)) return;
  }
}

void BatchQueue::OnDone(BatchCall& call, BatchCall::Batches instead) {
  std::erase(waiting_, &call);
  std::erase(under_way_, &call);
  calls_.Remove(call);
  for (size_t i = instead.size(); i > 0; --i) waiting_.push_front(&Make(std::move(instead[i - 1])));
  SendWaiting();
}

}  // namespace inferd::agent
