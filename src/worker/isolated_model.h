#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/thread_pool.h"
#include "core/engine.h"
#include "worker/supervised_model.h"

namespace inferd::worker {

// A model version whose engine runs in a worker process, as one of its signatures. Thread-safe.
class IsolatedModel final : public core::EngineModel {
 public:
  IsolatedModel(std::shared_ptr<SupervisedModel> supervised, size_t signature)
      : supervised_(std::move(supervised)), number_(signature) {}

  std::vector<std::unique_ptr<core::EngineModel>> OtherSignatures() const override;
  const core::ModelSignature& signature() const override { return described().signature; }
  base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(int group, int ordinal) override;
  // Inputs are copied into shared memory, to where the engine wants them, unless they are in memory of this.
  size_t input_alignment(int /*input*/) const override { return 1; }
  bool wants_one_piece(int input) const override { return described().inputs[input].one_piece; }
  std::shared_ptr<core::InputMemory> input_memory() const override { return supervised_->bodies(); }
  core::Availability availability() const override {
    return [supervised = supervised_] { return supervised->Available(); };
  }
  std::span<const std::string> significant_parameters() const override { return described().significant_parameters; }
  int compute_threads() const override { return described().compute_threads; }

 private:
  const ModelDescription& described() const { return supervised_->descriptions()[number_]; }

  const std::shared_ptr<SupervisedModel> supervised_;
  const size_t number_;
};

// One of its instances. The thread that calls Execute() waits for the worker's answers, which spares another hop; but
// an event loop's waits only for so long as a quick model takes, and leaves the rest to a thread of the instance's.
class IsolatedInstance final : public core::EngineInstance {
 public:
  // `supervised` outlives it, and has this instance already. Throws std::system_error where there is no thread.
  IsolatedInstance(SupervisedModel& supervised, size_t number) : supervised_(supervised), number_(number) {}

  void Execute(core::Execution& execution) override;

 private:
  void RunToEnd(core::Execution& execution);
  void Later(std::move_only_function<void()> rest);

  SupervisedModel& supervised_;
  const size_t number_;                        // its own there
  std::atomic<int> later_left_{0};             // executions that `later_` has to do
  base::ThreadPool later_{"worker later", 1};  // what an event loop did not wait for, in order
};

}  // namespace inferd::worker
