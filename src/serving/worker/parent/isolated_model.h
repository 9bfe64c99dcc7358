#pragma once

#include <memory>

#include "serving/core/engine.h"
#include "serving/worker/parent/answer_collectors.h"
#include "serving/worker/parent/supervised_model.h"

namespace inferd::worker {

// A model version whose engine runs in a worker process, as one of its signatures. Thread-safe.
class IsolatedModel final : public core::EngineModel {
 public:
  IsolatedModel(std::shared_ptr<SupervisedModel> supervised, size_t signature)
      : supervised_(std::move(supervised)), number_(signature) {}

  std::vector<std::unique_ptr<core::EngineModel>> OtherSignatures() const override;
  const core::ModelSignature& signature() const override { return described().signature; }
  base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(const core::InstanceSpec& spec) override;
  // 1, as inputs are copied to aligned shared memory anyway, unless they are in input_memory() already.
  size_t input_alignment(int /*input*/) const override { return 1; }
  bool wants_one_piece(int input) const override { return described().inputs[input].one_piece; }
  std::shared_ptr<core::InputMemory> input_memory() const override { return supervised_->bodies(); }
  core::Availability availability() const override {
    return [supervised = supervised_] { return supervised->Available(); };
  }
  core::ReadinessCheck readiness_check() const override {
    if (!described().checks_readiness) return nullptr;
    return [supervised = supervised_] { return supervised->CheckReady(); };
  }
  std::span<const std::string> significant_parameters() const override { return described().significant_parameters; }
  bool computes_elsewhere() const override { return true; }
  int compute_threads() const override { return described().compute_threads; }
  int unfinished_executions_max() const override { return described().unfinished_executions_max; }
  config::CompletedByModel completed() const override { return described().completed; }
  uint64_t memory_epoch() const override { return supervised_->loads(); }

 private:
  const ModelDescription& described() const { return supervised_->descriptions()[number_]; }

  const std::shared_ptr<SupervisedModel> supervised_;
  const size_t number_;
};

// An instance of an isolated model. Without overlapping executions, the calling thread waits for the worker's answers,
// which saves a hop. With overlapping executions, it waits only on a connection's thread, and only for as long as a
// quick model takes.
class IsolatedInstance final : public core::EngineInstance {
 public:
  // `supervised` already has this instance.
  IsolatedInstance(std::shared_ptr<SupervisedModel> supervised, size_t number, int unfinished_max);
  ~IsolatedInstance() override;

  void Execute(core::Execution& execution) override;
  bool TryExecute(core::Execution& execution) override;
  void Resume(core::Execution& execution) override;

 private:
  // `patience_ns` is how long this thread waits for the end of the execution.
  void Begin(const SupervisedModel::Callers& callers, core::Execution& execution, int64_t patience_ns);

  const std::shared_ptr<SupervisedModel> supervised_;
  const size_t number_;                           // its number in supervised_
  std::shared_ptr<ChannelCaller> begun_;          // has the execution to resume. Null if that has not begun
  std::unique_ptr<AnswerCollectors> collectors_;  // null if executions do not overlap
};

}  // namespace inferd::worker
