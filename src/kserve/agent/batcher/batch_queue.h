#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "kserve/agent/batcher/batch.h"
#include "kserve/agent/batcher/batch_call.h"
#include "kserve/agent/batcher/batch_options.h"
#include "net/event_loop.h"
#include "net/upstream/address.h"
#include "net/upstream/call_list.h"
#include "net/upstream/pool.h"

namespace inferd::agent {

// Sends complete batches to the component over reused connections, at most BatchOptions::batches_max at a time. Further
// batches wait, first in first out. A batch that fails is split: each request is sent once more, alone and ahead of
// waiting batches. So only the request that caused the failure gets an error. Loop-bound.
class BatchQueue final {
 public:
  // `room` and `options` must outlive the queue.
  BatchQueue(const BatchOptions& options, const net::upstream::Address& component, net::EventLoop& loop,
             BatchRoom& room);

  void Push(std::unique_ptr<Batch> batch);
  // The client of this request has disconnected. A batch without waiting clients is dropped or cancelled.
  void Leave(uint64_t id);

 private:
  BatchCall& Make(std::unique_ptr<Batch> batch);
  void SendWaiting();
  void OnDone(BatchCall& call, BatchCall::Batches instead);

  const BatchOptions& options_;
  const net::upstream::Address component_;
  net::EventLoop& loop_;
  BatchRoom& room_;
  net::upstream::Pool pool_;
  net::upstream::CallList<BatchCall> calls_;  // owns the calls of the next two lists
  std::deque<BatchCall*> waiting_;
  std::vector<BatchCall*> under_way_;
};

}  // namespace inferd::agent
