#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "agent/batcher/batch.h"
#include "net/upstream/pool.h"

namespace inferd::agent {

// A batch on its way to the component, and the answer on its way to all of its clients. Loop-bound.
class BatchCall final : public net::upstream::Receiver {
 public:
  // `on_done` is called once, last, and not inside Start; this may be destroyed later, not inside.
  BatchCall(std::unique_ptr<Batch> batch, net::Loop& loop, std::function<void(BatchCall&)> on_done)
      : batch_(std::move(batch)), loop_(loop), on_done_(std::move(on_done)) {}
  ~BatchCall() override;

  void Start(net::upstream::Pool& pool, const net::upstream::Address& component, std::chrono::milliseconds timeout);

  // Where its owner has it.
  size_t index = 0;

 private:
  void OnHead(const net::upstream::ResponseHead& head) override;
  void OnBody(base::BufferSlice piece) override;
  void OnEnd() override;
  void OnFailure(net::upstream::Failure failure) override;

  void Fail(int status, std::string_view message);
  void Done();
  base::Buffer Joined() const;

  const std::unique_ptr<Batch> batch_;
  net::Loop& loop_;
  const std::function<void(BatchCall&)> on_done_;
  net::Loop::TimerId timer_ = 0;
  int status_ = 0;
  std::vector<base::BufferSlice> pieces_;
  uint64_t bytes_ = 0;
};

}  // namespace inferd::agent
