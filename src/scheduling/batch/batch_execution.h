#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine.h"
#include "scheduling/batch/execution_context.h"
#include "scheduling/batch/output_layout.h"

namespace inferd::scheduling {

// One call of an engine for one or more requests of the same BatchKey: lays their inputs out as pieces of one batch,
// and gives each its share of the outputs as a view. Used again once the engine has let go of it, so that its vectors
// keep their memory. Several members only if the model batches. Rows that fill the batch up to an allowed size are one
// more request to the engine, which nobody waits for.
//
//   idle --Add() each member, Begin()--> running --Finish() by the engine--> finished --Returned()--> idle again
//                                        running --Returned() first--> detached --Finish()--> it destroys itself
//
// Returned() says that EngineInstance::Execute has come back; the two come in either order, from two threads at most.
// Once Begin() has failed, the execution is finished without an engine.
class BatchExecution final : public core::Execution {
 public:
  explicit BatchExecution(const ExecutionContext& context) : context_(context), output_layout_(context) {}

  // In queue order; before Begin().
  void Add(std::unique_ptr<QueueEntry> member) { members_.push_back(std::move(member)); }
  size_t member_count() const { return members_.size(); }
  const QueueEntry& member(size_t i) const { return *members_[i]; }
  int64_t row_count() const;

  // `started_ns`: now. False: the members cannot be laid out as a batch, and have been answered so, or are in Remains,
  // because their shapes differ too much for one (MayBePadded). No engine may see it; Returned() is true.
  [[nodiscard]] bool Begin(int64_t started_ns);

  // True: the engine has finished, the caller owns the execution again. False: never touch it again.
  [[nodiscard]] bool Returned();

  // What is left after Returned() gave the execution back.
  struct Remains {
    // Emptied entries, to be used again. Their `queued.version` still pins the version: the scheduler may end with it.
    std::vector<std::unique_ptr<QueueEntry>> entries;
    // Members that were not answered, because the batch failed as a whole and ExecutionContext::retries_members is set,
    // or because it was not begun: to be run again, each alone (QueueEntry::alone).
    std::vector<std::unique_ptr<QueueEntry>> retries;
  };
  // Appends to `remains`, whose vectors the caller may keep for the next.
  void Clear(Remains& remains);

  // core::Execution.
  const core::InferRequest& request(size_t i) const override {
    return *members_[std::min(i, members_.size() - 1)]->queued.request;
  }
  bool IsCancelled(size_t i) const override { return i >= members_.size() || CancelledByClient(i) || PastDeadline(i); }
  base::Buffer AllocateOutput(int, size_t bytes) override { return base::Buffer::Allocate(bytes); }
  void MarkInputsReady() override { inputs_ready_ns_.store(context_.clock.NowNs(), std::memory_order_relaxed); }
  void MarkInferDone() override { infer_done_ns_.store(context_.clock.NowNs(), std::memory_order_relaxed); }
  void Respond(size_t i, base::Status status, std::vector<core::InferTensor> tensors, bool final) override;
  void RespondAll(base::Status status, std::vector<core::InferTensor> tensors) override;
  void Finish() override;

 private:
  enum class State : int { kRunning, kFinished, kDetached };

  // What a member has had. Members may be answered from different threads, so each has memory of its own.
  struct Progress {
    bool final = false;
    bool retry = false;  // has nothing, and is to be run again
    uint64_t responses = 0;
  };

  bool RunApart();
  bool CancelledByClient(size_t i) const;
  bool PastDeadline(size_t i) const;
  void FailAll(const base::Status& status, bool may_retry);
  // Records what is final, and sends it.
  void Answer(size_t i, base::Status status, std::vector<core::InferTensor> tensors, bool final, int64_t now_ns);
  void Send(size_t i, base::Status status, std::vector<core::InferTensor> tensors, bool final);
  // Before their answers: whoever gets one may ask for the statistics next.
  void RecordFailure(size_t i, base::StatusCode code, int64_t now_ns);
  // Of the members from `begin` to `end` that have not had their final answer.
  void RecordSuccesses(size_t begin, size_t end, int64_t now_ns);
  core::PhaseTimes ComputeTimes(int64_t now_ns) const;
  void HandBackRetries();

  const ExecutionContext& context_;
  std::vector<std::unique_ptr<QueueEntry>> members_;
  std::vector<Progress> progress_;
  OutputLayout output_layout_;
  base::Status failure_;  // of the batch as a whole
  RowCount row_count_;
  int64_t started_ns_ = 0;
  std::atomic<State> state_{State::kRunning};
  std::atomic<bool> recorded_{false};
  std::atomic<int64_t> inputs_ready_ns_{0};  // 0: the engine did not say
  std::atomic<int64_t> infer_done_ns_{0};
};

}  // namespace inferd::scheduling
