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

// Sends batches that are complete to the component, at most BatchOptions::batches_max at a time, on connections that
// are used again. Further ones wait in the order in which they came. A batch that fails is taken apart, and each of its
// requests is sent once more, alone and before those that wait, so that a failure is the answer only of the request
// that earned it. Loop-bound.
class BatchQueue final {
 public:
  // `room` and `options` outlive this.
  BatchQueue(const BatchOptions& options, const net::upstream::Address& component, net::EventLoop& loop,
             BatchRoom& room);

  void Push(std::unique_ptr<Batch> batch);
  // The client of this request has gone. What nobody waits for any more is not sent, or is given up.
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
  net::upstream::CallList<BatchCall> calls_;  // owns those of the two lists below
  std::deque<BatchCall*> waiting_;
  std::vector<BatchCall*> under_way_;
};

}  // namespace inferd::agent
