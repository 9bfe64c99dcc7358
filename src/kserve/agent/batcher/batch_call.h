#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "kserve/agent/batcher/batch.h"
#include "net/event_loop.h"
#include "net/upstream/pool.h"

namespace inferd::agent {

// A batch that is sent to the component, and the response for its clients. Loop-bound.
//
//   waiting --Start--> in flight --answer, failure--> done
//   waiting, in flight --too late, all clients gone--> done
class BatchCall final : public net::upstream::Receiver {
 public:
  using Batches = std::vector<std::unique_ptr<Batch>>;
  // Called once, as the last action, never within Start. If batches are passed, the call failed, and they must be sent
  // instead, so that each request gets a response of its own.
  using Done = std::function<void(BatchCall&, Batches)>;

  // Starts the timeout; when it ends before the response, the call fails with 504. The caller must call Start when a
  // slot is free, and must not destroy the call within `on_done`. `room` must outlive this.
  BatchCall(std::unique_ptr<Batch> batch, BatchRoom& room, net::Loop& loop, std::chrono::milliseconds timeout,
            Done on_done);
  ~BatchCall() override;

  // Sends the batch. Call it once.
  void Start(net::upstream::Pool& pool, const net::upstream::Address& component);
  // The client of a request has disconnected. Returns false if the batch has no such request. Calls `on_done` if no
  // client waits any more.
  bool Leave(uint64_t id);

  // The call's index in its owner.
  size_t index = 0;

 private:
  void OnHead(const net::upstream::ResponseHead& head) override;
  void OnBody(base::BufferSlice piece) override;
  void OnEnd() override;
  void OnFailure(net::upstream::Failure failure) override;

  base::Status Send(bool fresh);
  void SetTimer(std::chrono::milliseconds delay, base::Task task);
  // Fails. If one of several requests may be the cause, hands the requests over to be sent one by one.
  void FailOrTakeApart(int status, std::string_view message);
  void Fail(int status, std::string_view message);
  void Finish(Batches instead = {});
  base::Buffer Joined() const;

  const std::unique_ptr<Batch> batch_;
  BatchRoom& room_;
  net::Loop& loop_;
  const Done on_done_;
  net::Loop::TimerId timer_ = 0;
  net::upstream::Pool* pool_ = nullptr;
  const net::upstream::Address* component_ = nullptr;
  bool sent_again_ = false;
  int status_ = 0;
  std::vector<base::BufferSlice> pieces_;
  uint64_t bytes_ = 0;  // size of pieces_, reserved in the room
};

}  // namespace inferd::agent
