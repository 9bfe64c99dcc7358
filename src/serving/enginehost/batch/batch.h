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

// One execution as an engine sees it: the ABI's batch, and the implementation of the engine's calls for it.
//
//   idle --Begin--> running --End--> idle, or destroyed
//
// Between Begin() and End(), the engine may call the other functions from any thread, but not concurrently for one
// request. The batch corrects a misbehaving engine: an unanswered request gets INTERNAL, a response after the final one
// is dropped and logged, and wrong outputs become INTERNAL. Lives on the heap: its instance owns it while idle, and it
// owns itself while running.
class Batch final : public inferd_batch {
 public:
  // `home` keeps one idle batch for the next execution. It must outlive the batch.
  Batch(std::shared_ptr<const LoadedModel> model, const InstanceSeat& seat, std::atomic<Batch*>* home)
      : inferd_batch{}, model_(std::move(model)), seat_(seat), home_(home) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // INVALID_ARGUMENT if the inputs cannot be given to the engine. The caller must then call Fail() and End().
  base::Status Begin(core::Execution* execution);

  // True if responses were withheld, because this or another execution made a division that was refused. The engine
  // must then execute the batch again, after Repeat(), while no other execution computes on its threads.
  bool withheld() const { return withheld_.load(std::memory_order_relaxed); }
  void Repeat();

  // Sets and notifies `ended` when the execution ends, on whichever thread.
  void TellEnd(std::shared_ptr<std::atomic<bool>> ended) { told_ = std::move(ended); }

  void Respond(size_t request, const inferd_response& response);
  void RespondAll(const inferd_response& response);
  // Returns memory for an output, owned by the batch until the engine responds: in `wish`, or else of the CPU, pinned
  // if `wish` is on a device and pinned memory is free. Empty if there is no memory.
  base::BufferSlice AllocateOutput(uint32_t output, size_t bytes, base::MemoryPlace wish = {});

  // Fails the batch as a whole: sends `status` to every request that has no final response yet.
  void Fail(const base::Status& status);

  // Finishes the execution. Becomes its home's idle batch, or destroys itself if there is one.
  void End();

  core::Execution& execution() const { return *execution_; }
  const LoadedModel& model() const { return *model_; }

 private:
  // The progress of each request. Requests may be answered concurrently, so each has its own byte.
  enum class Progress : uint8_t { kUnanswered, kAnswered, kFinal };

  // The divisions refused before a response: none, one of this execution's, or one of this or another execution's.
  enum class Division : uint8_t { kNone, kRefused, kSuspected };
  static Division Divided();

  bool Withhold(const inferd_response& response, Division division);
  // `final` is true if this is the last response, whatever it says itself.
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
  std::shared_ptr<std::atomic<bool>> told_;  // set when the execution ends; null if nobody waits
};

}  // namespace inferd::enginehost
