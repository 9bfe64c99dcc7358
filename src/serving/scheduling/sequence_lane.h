#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "serving/core/scheduler.h"
#include "serving/scheduling/instance_scheduler.h"

namespace inferd::scheduling {

// The scheduler of one instance for requests of sequences. Each sequence has at most one request there at a time, so
// its slots limit its queue. Thread-safe. The requests keep it alive.
class SequenceLane {
 public:
  virtual ~SequenceLane() = default;

  // Returns the number of sequences that it has room for.
  virtual size_t slots() const = 0;
  // Queues a request. `row` < slots() is the slot of its sequence. Answers exactly once with a final response.
  virtual void Enqueue(core::QueuedRequest&& queued, size_t row) = 0;
  virtual core::SchedulerReport Report() const = 0;
  virtual std::vector<core::BatchRecord> RecentExecutions() const = 0;

  // As InstancePool::RunWoken(), for tests.
  virtual bool RunWoken() = 0;
};

// Strategy "oldest": batches the requests of its sequences dynamically, whatever their slots.
class OldestLane final : public SequenceLane {
 public:
  // `scheduler` has one instance, and was made with ConfigOf() and OptionsOf().
  OldestLane(size_t slots, std::unique_ptr<InstanceScheduler> scheduler)
      : slots_(slots), scheduler_(std::move(scheduler)) {}

  static config::ModelConfig ConfigOf(config::ModelConfig model);
  static SchedulerOptions OptionsOf(SchedulerOptions options);

  size_t slots() const override { return slots_; }
  void Enqueue(core::QueuedRequest&& queued, size_t /*row*/) override { scheduler_->Enqueue(std::move(queued)); }
  core::SchedulerReport Report() const override { return scheduler_->Report(); }
  std::vector<core::BatchRecord> RecentExecutions() const override { return scheduler_->RecentExecutions(); }
  bool RunWoken() override { return scheduler_->RunWoken(); }

 private:
  const size_t slots_;
  const std::unique_ptr<InstanceScheduler> scheduler_;
};

}  // namespace inferd::scheduling
