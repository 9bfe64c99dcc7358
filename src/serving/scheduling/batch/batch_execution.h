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

// An instance's execution on a connections' thread, if any, in a form that other threads may read.
struct InlineRun final : base::Turn::Borrower {
  std::atomic<int64_t> since_ns{0};  // its start; 0 if there is none
  // How long it may stay there. The time to move its inputs (InlineGate::MovingNs) comes on top. Set once.
  int64_t ns_max = std::numeric_limits<int64_t>::max() / 2;
  // After how long another thread takes over the connections, with the same addition. 0 means never. Set once.
  int64_t move_ns = 0;
  // True if another thread has taken them over. Set to false only under the scheduler's lock.
  std::atomic<bool> moved{false};
  std::atomic<int>* moved_runs = nullptr;  // the model's count. Set once.

  void OnMoved() override {
    moved.store(true, std::memory_order_relaxed);
    moved_runs->fetch_add(1, std::memory_order_relaxed);
  }
};

// One call of an engine for one or more requests of the same BatchKey. Lays their inputs out as the pieces of one
// batch, and gives each request its share of the outputs as a view. The object is reused when the engine has finished
// with it, so that its vectors keep their memory. Has several members only if the model batches. Rows that fill the
// batch up to an allowed size are one more request for the engine, for which no client waits.
//
//   idle --Add() each member, Begin()--> running --Finish() by the engine--> finished --Clear()--> idle again
//                                        running --Leave()--> left --Finish()--> finished, and given to its callback
//
// Leave() is for an EngineInstance::Execute that returns before the engine has finished. It and Finish() may be called
// by two threads at once. If Begin() fails, the execution is finished without the engine.
class BatchExecution final : public core::Execution {
 public:
  explicit BatchExecution(const ExecutionContext& context)
      : context_(context),
        output_layout_(context),
        recorder_(context),
        charges_(context.outputs, context.outputs_count) {}

  // Adds members in queue order. Call before Begin().
  void Add(std::unique_ptr<QueueEntry> member) { members_.push_back(std::move(member)); }
  size_t member_count() const { return members_.size(); }
  const QueueEntry& member(size_t i) const { return *members_[i]; }
  int64_t row_count() const;

  // Sets the limit of time on a connections' thread. Null if there is none. Call before each Begin(). Once the limit is
  // over, IsCancelled() returns true to the engine. Members that the engine then gives up run again (Remains::retries),
  // once each.
  void SetEviction(const InlineRun* inline_run) { inline_run_ = inline_run; }

  // Begins the execution at `started_ns`, which is now. Returns false if no engine may see it; Finished() is true then.
  // Either several members do not fit into one batch, and are in Remains to run alone; or a single member failed and
  // has been answered.
  [[nodiscard]] bool Begin(int64_t started_ns);

  // Returns true if the engine has finished. The caller then owns the execution again.
  bool Finished() const { return state_.load(std::memory_order_acquire) == State::kFinished; }

  // Leaves an unfinished execution to the engine. Returns true if the engine has not finished: it will call `finished`
  // with the execution on a thread of its own, and the caller must not touch it again. Returns false if it has finished
  // by now, as Finished() says.
  using FinishedCallback = std::move_only_function<void(std::unique_ptr<BatchExecution>)>;
  [[nodiscard]] bool Leave(FinishedCallback finished);

  // The rest of a finished execution.
  struct Remains {
    // Emptied entries, for reuse. Their `queued.version` still keeps the version, and with it the scheduler, alive.
    std::vector<std::unique_ptr<QueueEntry>> entries;
    // Members that must run again, each alone (QueueEntry::alone). They were not answered, either because the batch
    // failed as a whole and ExecutionContext::retries_members is set, or because it did not begin. A member that
    // already ran alone is among them if the rows that filled it up made it fail.
    std::vector<std::unique_ptr<QueueEntry>> retries;
  };
  // Empties the execution, and appends to `remains`, whose vectors the caller may reuse.
  void Clear(Remains& remains);

  // The functions of core::Execution.
  const core::InferRequest& request(size_t i) const override {
    return *members_[std::min(i, members_.size() - 1)]->queued.request;
  }
  bool IsCancelled(size_t i) const override { return FillsUp(i) || (Evicted() && !Moved()) || GivenUp(i); }
  bool FillsUp(size_t i) const override { return i >= members_.size() || members_[i]->idle; }
  // For a single request with memory of its own for the output, returns that memory. Otherwise on a device, if all
  // members accept it there and there is room. Throws std::bad_alloc also if the budget has no room.
  base::Buffer AllocateOutput(int output, size_t bytes, base::MemoryPlace wish) override;
  bool TakesOnDevice(int output) const override;
  void MarkInputsReady() override { recorder_.MarkInputsReady(); }
  void MarkInferDone() override { recorder_.MarkInferDone(); }
  void Respond(size_t i, core::EngineResponse response) override;
  void RespondAll(core::EngineResponse response) override;
  void Finish() override;

 private:
  enum class State : int { kRunning, kFinished, kLeft };

  // The progress of one member. Members may be answered by different threads, so each has its own object.
  struct Progress {
    bool final = false;
    bool retry = false;    // has no response, and must run again
    bool evicted = false;  // since its execution had to leave its thread
    uint64_t responses = 0;
    ExecutionRecorder::ResponseTimes times = {};  // only of a decoupled model
  };

  int64_t idle_rows() const;
  bool RunApart();
  void FailAll(base::Status status);
  base::Buffer NamedMemory(int output, size_t bytes, base::MemoryPlace wish) const;
  base::Buffer DeviceMemory(int output, size_t bytes, base::MemoryPlace wish) const;
  bool GivenUp(size_t i) const;
  bool Evicted() const;
  // True if the execution no longer blocks any connections.
  bool Moved() const { return inline_run_->moved.load(std::memory_order_relaxed); }
  // Returns true if `status` only means that the execution was evicted. The member then runs again.
  bool PutBack(size_t i, const base::Status& status);
  bool MayRepeat(const base::Status& status) const;
  // Checks a response that asks for another execution of the member. The response then counts as part of the request.
  base::Status Reschedule(size_t i);
  // Records a final response, and sends the response.
  void Answer(size_t i, core::EngineResponse response, int64_t now_ns);
  void Send(size_t i, core::EngineResponse response);
  // Recorded before the response is sent, as the client may read the statistics next.
  void RecordFailure(size_t i, base::StatusCode code, int64_t now_ns);
  void BlameLoneRequest(base::StatusCode code);
  // Records the members from `begin` to `end` that have had no final response yet.
  void RecordSuccesses(size_t begin, size_t end, int64_t now_ns);

  const ExecutionContext& context_;
  std::vector<std::unique_ptr<QueueEntry>> members_;
  std::vector<Progress> progress_;
  OutputLayout output_layout_;
  ExecutionRecorder recorder_;
  OutputCharges charges_;
  FinishedCallback finished_;  // only after Leave()
  RowCount row_count_;
  int64_t started_ns_ = 0;
  const InlineRun* inline_run_ = nullptr;
  std::atomic<State> state_{State::kRunning};
};

}  // namespace inferd::scheduling
