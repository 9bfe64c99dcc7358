#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "base/turn.h"
#include "serving/core/engine.h"
#include "serving/scheduling/batch/execution_context.h"
#include "serving/scheduling/batch/execution_recorder.h"
#include "serving/scheduling/batch/output_charge.h"
#include "serving/scheduling/batch/output_layout.h"

namespace inferd::scheduling {

// The execution that an instance runs on a connections' thread, if any, as other threads may read it.
struct InlineRun final : base::Turn::Borrower {
  std::atomic<int64_t> since_ns{0};  // its beginning; 0: there is none
  // How long it may stay there, but for the time that its inputs take to be moved (InlineGate::MovingNs). Set once.
  int64_t ns_max = std::numeric_limits<int64_t>::max() / 2;
  // After how long another thread takes the connections over, likewise; 0: never. Set once.
  int64_t move_ns = 0;
  // True if that has happened. The scheduler's lock guards that it becomes false.
  std::atomic<bool> moved{false};
  std::atomic<int>* moved_runs = nullptr;  // of the model. Set once.

  void OnMoved() override {
    moved.store(true, std::memory_order_relaxed);
    moved_runs->fetch_add(1, std::memory_order_relaxed);
  }
};

// One call of an engine for one or more requests of the same BatchKey: lays their inputs out as pieces of one batch,
// and gives each its share of the outputs as a view. Used again once the engine has let go of it, so that its vectors
// keep their memory. Several members only if the model batches. Rows that fill the batch up to an allowed size are one
// more request to the engine, which nobody waits for.
//
//   idle --Add() each member, Begin()--> running --Finish() by the engine--> finished --Clear()--> idle again
//                                        running --Leave()--> left --Finish()--> finished, and given to its callback
//
// Leave() is for an EngineInstance::Execute that has come back before the engine has finished; it and Finish() may come
// from two threads at once. Once Begin() has failed, the execution is finished without an engine.
class BatchExecution final : public core::Execution {
 public:
  explicit BatchExecution(const ExecutionContext& context)
      : context_(context),
        output_layout_(context),
        recorder_(context),
        charges_(context.outputs, context.outputs_count) {}

  // In queue order; before Begin().
  void Add(std::unique_ptr<QueueEntry> member) { members_.push_back(std::move(member)); }
  size_t member_count() const { return members_.size(); }
  const QueueEntry& member(size_t i) const { return *members_[i]; }
  int64_t row_count() const;

  // Call before Begin(), each time. Once the execution has been on a connections' thread for longer than `inline_run`
  // allows, the engine is told that nobody waits. Members that it gives up for that reason are run again
  // (Remains::retries), once each. Null if the execution may stay on its thread.
  void SetEviction(const InlineRun* inline_run) { inline_run_ = inline_run; }

  // `started_ns`: now. False: several members cannot be laid out as a batch, and are in Remains to run each alone; or
  // the only one cannot be, and has been answered so. No engine may see it; Finished() is true.
  [[nodiscard]] bool Begin(int64_t started_ns);

  // Whether the engine has finished: the caller owns the execution again.
  bool Finished() const { return state_.load(std::memory_order_acquire) == State::kFinished; }

  // True: the engine has not finished, and `finished` is called with the execution when it has, on a thread of the
  // engine; the caller never touches it again. False: it has finished by now, as Finished() says.
  using FinishedCallback = std::move_only_function<void(std::unique_ptr<BatchExecution>)>;
  [[nodiscard]] bool Leave(FinishedCallback finished);

  // What is left of a finished execution.
  struct Remains {
    // Emptied entries, to be used again. Their `queued.version` still pins the version: the scheduler may end with it.
    std::vector<std::unique_ptr<QueueEntry>> entries;
    // Members that were not answered, because the batch failed as a whole and ExecutionContext::retries_members is set,
    // or because it was not begun: to be run again, each alone (QueueEntry::alone). One that ran alone is among them if
    // the rows that filled it up have failed it.
    std::vector<std::unique_ptr<QueueEntry>> retries;
  };
  // Appends to `remains`, whose vectors the caller may keep for the next.
  void Clear(Remains& remains);

  // core::Execution.
  const core::InferRequest& request(size_t i) const override {
    return *members_[std::min(i, members_.size() - 1)]->queued.request;
  }
  bool IsCancelled(size_t i) const override { return FillsUp(i) || (Evicted() && !Moved()) || GivenUp(i); }
  bool FillsUp(size_t i) const override { return i >= members_.size() || members_[i]->idle; }
  // Of a lone request that names its own memory for the output, that; on a device, if there is room, where all that
  // wait for it take it there. Throws std::bad_alloc also where the budget has no room.
  base::Buffer AllocateOutput(int output, size_t bytes, base::MemoryPlace wish) override;
  bool TakesOnDevice(int output) const override;
  void MarkInputsReady() override { recorder_.MarkInputsReady(); }
  void MarkInferDone() override { recorder_.MarkInferDone(); }
  void Respond(size_t i, core::EngineResponse response) override;
  void RespondAll(core::EngineResponse response) override;
  void Finish() override;

 private:
  enum class State : int { kRunning, kFinished, kLeft };

  // What a member has had. Members may be answered from different threads, so each has memory of its own.
  struct Progress {
    bool final = false;
    bool retry = false;    // has nothing, and is to be run again
    bool evicted = false;  // since its execution was told to leave its thread
    uint64_t responses = 0;
    ExecutionRecorder::ResponseTimes times = {};  // of a decoupled model's
  };

  int64_t idle_rows() const;
  bool RunApart();
  void FailAll(base::Status status);
  base::Buffer NamedMemory(int output, size_t bytes, base::MemoryPlace wish) const;
  base::Buffer DeviceMemory(int output, size_t bytes, base::MemoryPlace wish) const;
  bool GivenUp(size_t i) const;
  bool Evicted() const;
  // True if the execution holds up no connections any more.
  bool Moved() const { return inline_run_->moved.load(std::memory_order_relaxed); }
  // Whether `status` says no more than that the execution was evicted; if so, the member is to be run again.
  bool PutBack(size_t i, const base::Status& status);
  bool MayRepeat(const base::Status& status) const;
  // Of a response that asks for another execution of the member: whether it may. It counts as a part of the request.
  base::Status Reschedule(size_t i);
  // Records what is final, and sends it.
  void Answer(size_t i, core::EngineResponse response, int64_t now_ns);
  void Send(size_t i, core::EngineResponse response);
  // Before their answers: a client that gets one may ask for the statistics next.
  void RecordFailure(size_t i, base::StatusCode code, int64_t now_ns);
  void BlameLoneRequest(base::StatusCode code);
  // Of the members from `begin` to `end` that have not had their final answer.
  void RecordSuccesses(size_t begin, size_t end, int64_t now_ns);

  const ExecutionContext& context_;
  std::vector<std::unique_ptr<QueueEntry>> members_;
  std::vector<Progress> progress_;
  OutputLayout output_layout_;
  ExecutionRecorder recorder_;
  OutputCharges charges_;
  FinishedCallback finished_;  // of one that was left
  RowCount row_count_;
  int64_t started_ns_ = 0;
  const InlineRun* inline_run_ = nullptr;
  std::atomic<State> state_{State::kRunning};
};

}  // namespace inferd::scheduling
