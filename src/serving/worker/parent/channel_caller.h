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

// What the channels of one instance share.
struct InstanceCalls {
  std::atomic<int64_t> last_sign_ns = 0;  // of life that the worker gave in one of them, base::Clock::NowNs
  std::atomic<uint64_t> begun = 0;
};

// The server's end of a channel: has the worker run one execution at a time, and passes its answers on. Outputs are
// views of the answer area, which goes with the last of them. Nothing that the worker writes is relied upon: what
// cannot be is the end of that process.
// Answers to a request whose client does not take them stay in the ring, which holds the worker up when it is full.
//
//   idle --Begin--> calling --Collect: finished--> idle, or unusable, if the process is lost
//
// Not thread-safe; calls may come from different threads, one after the other.
class ChannelCaller final {
 public:
  // `bodies`: what the worker sees of them; null: nothing. `hang_timeout_ns`: a worker that gives no sign of life for
  // so long, in this channel or in another one of the instance, is ended.
  ChannelCaller(std::shared_ptr<ChannelMemory> memory, std::shared_ptr<const BodyMemory> bodies,
                std::shared_ptr<WorkerLife> life, std::shared_ptr<const ModelDescription> model,
                int64_t hang_timeout_ns, std::shared_ptr<InstanceCalls> instance = std::make_shared<InstanceCalls>());

  // Places the call. On an error nothing has begun.
  base::Status Begin(core::Execution& execution);

  // For a caller that does nothing until a quick execution has ended: between these two, it and the worker's thread are
  // on one core (SharedCore), whose Part() is for every other execution.
  void ShareCore();
  void LeaveCore() { core_.Leave(); }
  void PartCore() { core_.Part(); }

  // Passes answers on until the worker is done with the execution, which is finished then, and true is returned; or for
  // `patience_ns` at most: false. If the process is lost, every unanswered request is told why.
  bool Collect(core::Execution& execution, int64_t patience_ns);

  bool lost() const { return life_->lost(); }
  // Whether Begin() may be called. True before an execution's Finish() is, so that another one may begin in it.
  bool idle() const { return idle_.load(std::memory_order_acquire); }

  // Fills in what the server knows of an execution that is under way here: what is asked in it takes that over.
  // FAILED_PRECONDITION: it is none of those. On any thread.
  base::Status FindOrigin(core::CallOrigin& origin) const;

 private:
  enum class Taken { kAnswer, kFinished, kGarbage };

  bool TakeReady(core::Execution& execution, uint32_t rung);
  // Until the client of its request takes more.
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
  std::string message_;    // a private copy of what the worker wrote
  size_t used_bytes_ = 0;  // of the call area
  uint32_t taken_ = 0;     // entries of the ring
  int64_t begun_ns_ = 0;
  boost::container::small_vector<bool, 8> answered_;  // finally, by request
  int useless_ = 0;                                   // answers that no request of the execution waited for
  pid_t partner_ = 0;                                 // the worker's thread; 0: not known, -1: it is none
  SharedCore core_;
  ResponseHold hold_;
  size_t cancelled_ = 0;  // flags that are set, all below this
  uint32_t begun_ = 0;    // executions, as the worker counts them
  mutable base::Mutex mutex_;
  const core::Execution* under_way_ GUARDED_BY(mutex_) = nullptr;
  uint32_t under_way_number_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::worker
