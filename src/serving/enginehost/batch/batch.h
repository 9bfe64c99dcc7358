#pragma once

#include <atomic>
#include <boost/container/small_vector.hpp>
#include <memory>
#include <utility>

#include "inferd/engine_abi.h"
#include "serving/core/engine.h"
#include "serving/enginehost/batch/batch_inputs.h"
#include "serving/enginehost/batch/batch_outputs.h"
#include "serving/enginehost/model/loaded_model.h"

namespace inferd::enginehost {

// One execution as an engine sees it: the ABI's batch, and behind it what the engine's calls about it do.
//
//   idle --Begin--> running --End--> idle, or destroyed
//
// Between Begin and End the engine may call the rest from any thread, for one request never concurrently. What a
// misbehaving engine does is made good: a request it leaves unanswered is answered INTERNAL, a response after the final
// one is dropped and logged, wrong outputs become INTERNAL. On the heap, owned by its instance while idle and by itself
// while running.
class Batch final : public inferd_batch {
 public:
  // `home` keeps one idle batch for the next execution; it outlives the batch.
  Batch(std::shared_ptr<const LoadedModel> model, const InstanceSeat& seat, std::atomic<Batch*>* home)
      : inferd_batch{}, model_(std::move(model)), seat_(seat), home_(home) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // INVALID_ARGUMENT: the inputs cannot be given to the engine. Fail() and End() must follow.
  base::Status Begin(core::Execution* execution);

  // Answers were kept back, since a division was refused that this execution or another one asked for: the engine is to
  // execute the batch again, after Repeat(), while no other one computes on its threads.
  bool withheld() const { return withheld_.load(std::memory_order_relaxed); }
  void Repeat();

  // `ended` is set and notified when the execution ends, whichever thread ends it.
  void TellEnd(std::shared_ptr<std::atomic<bool>> ended) { told_ = std::move(ended); }

  void Respond(size_t request, const inferd_response& response);
  void RespondAll(const inferd_response& response);
  // Where the engine can write it: in `wish` or in memory of the CPU, pinned if `wish` is on a device and there is
  // some, which it has until it answers. Empty: there is no memory.
  base::BufferSlice AllocateOutput(uint32_t output, size_t bytes, base::MemoryPlace wish = {});

  // The batch as a whole has failed: `status` to every request that has no final response yet.
  void Fail(const base::Status& status);

  // Finishes the execution. Goes home, or destroys itself if another batch is there.
  void End();

  core::Execution& execution() const { return *execution_; }
  const LoadedModel& model() const { return *model_; }

 private:
  // What each request has had. Different requests may be answered concurrently, so each has bytes of its own.
  enum class Progress : uint8_t { kUnanswered, kAnswered, kFinal };

  // What the processor refused until a response came: no division, one of this execution's, or one of this or
  // another's.
  enum class Division : uint8_t { kNone, kRefused, kSuspected };
  static Division Divided();

  bool Withhold(const inferd_response& response, Division division);
  // `final`: it is the last one, whatever the response says.
  base::Result<core::EngineResponse> Take(const inferd_response& response, bool final, Division division);
  base::Result<core::EngineResponse> TakeChecked(const inferd_response& response, bool final, Division division);
  void Warn(std::string_view what) const;

  std::shared_ptr<const LoadedModel> model_;
  const InstanceSeat seat_;
  std::atomic<Batch*>* home_;
  core::Execution* execution_ = nullptr;
  BatchInputs prepared_inputs_;
  boost::container::small_vector<uint32_t, 4> wanted_;
  boost::container::small_vector<Progress, 8> progress_;
  OutputAllocations allocations_;
  std::atomic<bool> withheld_{false};
  bool alone_ = false;
  std::shared_ptr<std::atomic<bool>> told_;  // that it ends; null: nothing is
};

}  // namespace inferd::enginehost
