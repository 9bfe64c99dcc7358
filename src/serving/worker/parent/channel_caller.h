#pragma once

#include <algorithm>
#include <atomic>
#include <boost/container/small_vector.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "serving/core/engine.h"
#include "serving/worker/channel/body_memory.h"
#include "serving/worker/channel/channel_memory.h"
#include "serving/worker/channel/execution_message.h"
#include "serving/worker/parent/response_hold.h"
#include "serving/worker/parent/shared_core.h"
#include "serving/worker/parent/worker_life.h"

namespace inferd::worker {

// State that the channels of one instance share.
struct InstanceCalls {
  std::atomic<int64_t> last_sign_ns = 0;  // last sign of life on any channel, base::Clock::NowNs
  std::atomic<uint64_t> begun = 0;
};

// The server's end of a channel: has the worker run one execution at a time, and passes its answers on. Outputs are
// views of the answer area, which stays mapped until the last of them is gone. The worker's data are not trusted: an
// invalid message ends the process. If a client does not take its responses, they stay in the ring; a full ring holds
// the worker up.
//
//   idle --Begin--> calling --Collect: finished--> idle, or unusable, if the process is lost
//
// Not thread-safe; calls may come from different threads, one after the other.
class ChannelCaller final {
 public:
  // `bodies` is the memory that the worker can read; null if there is none. A worker without a sign of life for
  // `hang_timeout_ns`, on this or another channel of the instance, is ended.
  ChannelCaller(std::shared_ptr<ChannelMemory> memory, std::shared_ptr<const BodyMemory> bodies,
                std::shared_ptr<WorkerLife> life, std::shared_ptr<const ModelDescription> model,
                int64_t hang_timeout_ns, std::shared_ptr<InstanceCalls> instance = std::make_shared<InstanceCalls>());

  // Places the call. If it fails, nothing has begun.
  base::Status Begin(core::Execution& execution);

  // For a caller that only waits for a quick execution: between ShareCore() and LeaveCore(), it and the worker's thread
  // run on one core (SharedCore). Call PartCore() before any other execution.
  void ShareCore();
  void LeaveCore() { core_.Leave(); }
  void PartCore() { core_.Part(); }

  // Passes answers on until the execution is finished; returns true then. Returns false if that takes longer than
  // `patience_ns`. If the process is lost, fails every unanswered request with the reason.
  bool Collect(core::Execution& execution, int64_t patience_ns);

  bool lost() const { return life_->lost(); }
  // Returns true if Begin() may be called. Turns true before the execution's Finish() is called, so that Finish() may
  // begin the next execution.
  bool idle() const { return idle_.load(std::memory_order_acquire); }

  // Completes the origin of a call with what the server knows of the execution in flight here. FAILED_PRECONDITION if
  // that execution has ended. On any thread.
  base::Status FindOrigin(core::CallOrigin& origin) const;

 private:
  enum class Taken { kAnswer, kFinished, kGarbage };

  bool TakeReady(core::Execution& execution, uint32_t rung);
  // Returns true if the entry must wait until the request's client takes more.
  bool StaysInRing(const core::Execution& execution, const AnswerEntry& entry);
  Taken Take(core::Execution& execution, const AnswerEntry& entry);
  base::Status Pass(core::Execution& execution, AnswerKind kind, uint32_t request, std::string_view message);
  base::Result<std::vector<core::InferTensor>> ToTensors(const core::Execution& execution, const PlacedAnswer& answer,
                                                         bool may_be_empty);
  base::Result<core::InferTensor> ToTensor(const core::TensorSpec& spec, const PlacedTensor& placed);
  void Release(uint32_t block);
  void PassCancellations(const core::Execution& execution);
  void ClearCancellations();
  void Finish(core::Execution& execution);
  int64_t SignNs() const { return std::max(begun_ns_, instance_->last_sign_ns.load(std::memory_order_relaxed)); }

  const std::shared_ptr<ChannelMemory> memory_;
  const std::shared_ptr<const BodyMemory> bodies_;
  const std::shared_ptr<WorkerLife> life_;
  const std::shared_ptr<const ModelDescription> model_;
  const int64_t hang_timeout_ns_;
  const std::shared_ptr<InstanceCalls> instance_;
  std::atomic<bool> idle_{true};
  MessageWriter writer_;
  std::string message_;    // a private copy of the worker's message
  size_t used_bytes_ = 0;  // of the call area
  uint32_t taken_ = 0;     // ring entries taken
  int64_t begun_ns_ = 0;
  boost::container::small_vector<bool, 8> answered_;  // by request: has its final response
  int useless_ = 0;                                   // answers for which no request of the execution waited
  pid_t partner_ = 0;                                 // the worker's thread; 0 if not known, -1 if invalid
  SharedCore core_;
  ResponseHold hold_;
  size_t cancelled_ = 0;  // all set flags have lower indices
  uint32_t begun_ = 0;    // executions begun; the worker counts them too
  mutable base::Mutex mutex_;
  const core::Execution* under_way_ GUARDED_BY(mutex_) = nullptr;
  uint32_t under_way_number_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::worker
