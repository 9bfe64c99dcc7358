#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "serving/core/engine.h"
#include "serving/worker/channel/block_allocator.h"
#include "serving/worker/channel/body_memory.h"
#include "serving/worker/channel/channel_memory.h"
#include "serving/worker/channel/execution_message.h"

namespace inferd::worker {

// The worker's end of a channel: presents the server's execution to the engine here. Inputs are views of the call area
// and of the bodies. Outputs that the engine allocates are in the answer area, where the server reads them; other
// outputs are copied there.
//
//   idle --Begin--> running --Finish, by the engine--> idle
//
// Call Begin() and WaitUntilFinished() on the channel's thread; the rest as for core::Execution.
class HostedExecution final : public core::Execution {
 public:
  // `channel` is its number in the process. `bodies` is null if the server shares none.
  HostedExecution(std::shared_ptr<ChannelMemory> memory, uint64_t channel, std::shared_ptr<const BodyView> bodies);

  // Reads the call that the server has placed. INTERNAL if it is invalid; the caller must then call Refuse().
  base::Status Begin();
  void Refuse(base::Status status);
  void WaitUntilFinished();

  const core::InferRequest& request(size_t i) const override { return requests_[i].request; }
  bool FillsUp(size_t i) const override { return requests_[i].fills_up; }
  bool IsCancelled(size_t i) const override;
  core::CallOrigin Origin(uint64_t i) const override;
  // Throws std::bad_alloc if the answer area has no room.
  base::Buffer AllocateOutput(int output, size_t bytes, base::MemoryPlace wish) override;
  void MarkInputsReady() override {}
  void MarkInferDone() override {}
  void Respond(size_t i, core::EngineResponse response) override;
  void RespondAll(core::EngineResponse response) override;
  void Finish() override;

 private:
  PlacedTensor Place(const core::InferTensor& tensor, base::Status* status);
  PlacedAnswer Place(core::EngineResponse response);
  void Send(AnswerKind kind, uint32_t request, core::EngineResponse response);
  // Releases the blocks of an answer that is not sent.
  void Release(const PlacedAnswer& answer);
  void Post(const AnswerEntry& entry) REQUIRES(mutex_);
  base::Status NoRoom(size_t bytes) const;

  const std::shared_ptr<ChannelMemory> memory_;
  const uint64_t channel_;
  const std::shared_ptr<const BodyView> bodies_;
  const std::shared_ptr<BlockAllocator> allocator_;
  std::vector<CalledRequest> requests_;
  uint32_t begun_ = 0;                    // executions begun; the server counts them too
  std::atomic<size_t> refused_bytes_{0};  // size of the last output without room
  std::atomic<bool> finished_{true};
  base::Mutex mutex_;
  MessageWriter writer_ GUARDED_BY(mutex_);
  uint32_t posted_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::worker
