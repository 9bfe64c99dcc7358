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

// A batch on its way to the component, and the answer on its way to all of its clients. Loop-bound.
//
//   waiting --Start--> under way --answer, failure--> done
//   waiting, under way --too late, all clients gone--> done
class BatchCall final : public net::upstream::Receiver {
 public:
  using Batches = std::vector<std::unique_ptr<Batch>>;
  // Called once, last, and not inside Start. The batches are to be sent in place of this one: it failed, and each of
  // its requests is to get an answer of its own.
  using Done = std::function<void(BatchCall&, Batches)>;

  // `room` outlives this. It must not be destroyed inside a call of `on_done`. It waits for Start from now on, and
  // fails with 504 when `timeout` has passed.
  BatchCall(std::unique_ptr<Batch> batch, BatchRoom& room, net::Loop& loop, std::chrono::milliseconds timeout,
            Done on_done);
  ~BatchCall() override;

  // Sends it. Once.
  void Start(net::upstream::Pool& pool, const net::upstream::Address& component);
  // The client of one of its requests has gone. False: it has no such request. `on_done` is called if it was the last
  // that waited.
  bool Leave(uint64_t id);

  // Where its owner has it.
  size_t index = 0;

 private:
  void OnHead(const net::upstream::ResponseHead& head) override;
  void OnBody(base::BufferSlice piece) override;
  void OnEnd() override;
  void OnFailure(net::upstream::Failure failure) override;

  base::Status Send(bool fresh);
  void SetTimer(std::chrono::milliseconds delay, base::Task task);
  // Fails, or, if the failure may be that of one request among several, has them sent one by one.
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
  uint64_t bytes_ = 0;  // of pieces_, which are taken from the room
};

}  // namespace inferd::agent
