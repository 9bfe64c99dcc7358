#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "serving/core/model/scheduler_report.h"
#include "serving/ensemble/plan.h"

namespace inferd::ensemble {

// Counts calls, failures and skips of a loaded ensemble's steps, over all requests. Thread-safe.
class StepCounts final {
 public:
  explicit StepCounts(const Plan& plan) {
    for (const Plan::Step& step : plan.steps) {
      steps_.push_back({.calls = std::make_unique<Call[]>(step.calls.size() + step.shadows.size()),
                        .passed_over = std::make_unique<Count>(0)});
    }
  }

  // `call` is the index into the step's calls, followed by its shadows.
  void Taken(size_t step, size_t call) { Add(steps_[step].calls[call].taken); }
  void Failed(size_t step, size_t call) { Add(steps_[step].calls[call].failed); }
  void PassedOver(size_t step) { Add(*steps_[step].passed_over); }

  void Report(const Plan& plan, core::SchedulerReport& report) const {
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Plan::Step& step = plan.steps[i];
      core::SchedulerReport::Step& reported = report.steps.emplace_back();
      for (size_t call = 0; call < step.calls.size() + step.shadows.size(); ++call) {
        const bool shadow = call >= step.calls.size();
        const Plan::Call& of = shadow ? step.shadows[call - step.calls.size()] : step.calls[call];
        reported.calls.push_back({.model = of.model,
                                  .version = of.version,
                                  .shadow = shadow,
                                  .taken = Read(steps_[i].calls[call].taken),
                                  .failed = Read(steps_[i].calls[call].failed)});
      }
      reported.passed_over = Read(*steps_[i].passed_over);
    }
  }

 private:
  using Count = std::atomic<uint64_t>;
  struct Call {
    Count taken = 0;
    Count failed = 0;
  };
  struct Step {
    std::unique_ptr<Call[]> calls;
    std::unique_ptr<Count> passed_over;
  };

  static void Add(Count& count) { count.fetch_add(1, std::memory_order_relaxed); }
  static uint64_t Read(const Count& count) { return count.load(std::memory_order_relaxed); }

  std::vector<Step> steps_;
};

}  // namespace inferd::ensemble
