#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "serving/core/engine.h"

namespace inferd::support {

// An engine inside the test's own process: identity models whose behaviour the test scripts. Thread-safe.
//
// Every model has one input INPUT0 and one output OUTPUT0, INT32 of shape [-1,-1], unless `signature` says otherwise.
class FakeEngine final : public core::Engine {
 public:
  struct Script {
    core::ModelSignature signature = DefaultSignature();
    // Called inside Load, on the loader's thread; may block.
    std::function<base::Status(const core::LoadSpec&)> on_load;
    // Called instead of the identity; must answer and finish the execution, then or later.
    std::function<void(core::Execution&)> on_execute;
    size_t alignment = 1;
    std::vector<core::ModelSignature> others = {};  // the model's other signatures
    core::Availability availability = nullptr;
    // Returns true if TryExecute() does not do the execution. Null if it always does.
    std::function<bool(core::Execution&)> takes_long = nullptr;
    int unfinished_executions_max = 1;
    bool computes_elsewhere = false;
    bool returns_at_once = false;
    int executions_ahead = 0;
  };

  static core::ModelSignature DefaultSignature() {
    core::ModelSignature signature;
    signature.inputs = {{.name = "INPUT0", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}}};
    signature.outputs = {{.name = "OUTPUT0", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}}};
    return signature;
  }

  explicit FakeEngine(std::string name = "fake", std::string filename = "")
      : name_(std::move(name)), filename_(filename) {}

  // The script of models loaded from now on, by model name; "" for all that have none of their own.
  void SetScript(const std::string& model, Script script) {
    base::MutexLock lock(mutex_);
    scripts_[model] = std::make_shared<const Script>(std::move(script));
  }

  // Before it is given to anything else.
  void SetGpus(config::EngineGpus gpus) { gpus_ = gpus; }

  int loads() const { return loads_.load(); }
  int alive() const { return alive_.load(); }
  int executions() const { return executions_.load(); }
  // The most executions of one instance that ever ran at once; anything above 1 is the scheduler's fault.
  int overlaps_max() const { return overlaps_max_.load(); }

  static void Identity(core::Execution& execution) {
    std::vector<core::InferTensor> tensors;
    for (size_t i = 0; i < execution.outputs.size(); ++i) {
      const core::ExecutionInput& input = execution.inputs[std::min(i, execution.inputs.size() - 1)];
      core::InferTensor tensor;
      tensor.datatype = input.datatype;
      tensor.shape = input.shape;
      size_t bytes = 0;
      for (const base::BufferSlice& piece : input.pieces) bytes += piece.size();
      base::Buffer out = execution.AllocateOutput(execution.outputs[i], bytes);
      std::byte* end = out.data();
      for (const base::BufferSlice& piece : input.pieces) end = std::copy_n(piece.data(), piece.size(), end);
      tensor.data = base::BufferSlice(std::move(out));
      tensors.push_back(std::move(tensor));
    }
    execution.RespondAll({base::OkStatus(), std::move(tensors)});
    execution.Finish();
  }

  std::string_view name() const override { return name_; }
  std::string_view version() const override { return "1"; }
  std::string_view default_model_filename() const override { return filename_; }
  config::EngineGpus gpus() const override { return gpus_; }
  base::Result<std::unique_ptr<core::EngineModel>> Load(const core::LoadSpec& spec) override {
    std::shared_ptr<const Script> script;
    {
      base::MutexLock lock(mutex_);
      auto it = scripts_.find(spec.model_name);
      if (it == scripts_.end()) it = scripts_.find("");
      script = it == scripts_.end() ? std::make_shared<const Script>() : it->second;
    }
    ++loads_;
    if (script->on_load) INFERD_RETURN_IF_ERROR(script->on_load(spec));
    return std::make_unique<Model>(*this, std::move(script));
  }

 private:
  class Instance final : public core::EngineInstance {
   public:
    Instance(FakeEngine& engine, std::shared_ptr<const Script> script) : engine_(engine), script_(std::move(script)) {}
    void Execute(core::Execution& execution) override {
      Enter();
      Resume(execution);
    }
    bool TryExecute(core::Execution& execution) override {
      Enter();
      if (script_->takes_long && script_->takes_long(execution)) return false;
      Resume(execution);
      return true;
    }
    void Resume(core::Execution& execution) override {
      if (script_->on_execute) {
        script_->on_execute(execution);
      } else {
        Identity(execution);
      }
      --running_;
    }

   private:
    void Enter() {
      const int running = ++running_;
      int seen = engine_.overlaps_max_.load();
      while (running > seen && !engine_.overlaps_max_.compare_exchange_weak(seen, running)) {
      }
      ++engine_.executions_;
    }

    FakeEngine& engine_;
    std::shared_ptr<const Script> script_;
    std::atomic<int> running_{0};
  };

  class Model final : public core::EngineModel {
   public:
    // `other`: which of the others it is; null: the first.
    Model(FakeEngine& engine, std::shared_ptr<const Script> script, const core::ModelSignature* other = nullptr)
        : engine_(engine),
          script_(std::move(script)),
          signature_(other == nullptr ? script_->signature : *other),
          first_(other == nullptr) {
      ++engine_.alive_;
    }
    ~Model() override { --engine_.alive_; }
    std::vector<std::unique_ptr<core::EngineModel>> OtherSignatures() const override {
      std::vector<std::unique_ptr<core::EngineModel>> models;
      if (!first_) return models;
      for (const auto& other : script_->others) models.push_back(std::make_unique<Model>(engine_, script_, &other));
      return models;
    }
    const core::ModelSignature& signature() const override { return signature_; }
    base::Result<std::unique_ptr<core::EngineInstance>> CreateInstance(const core::InstanceSpec&) override {
      return std::make_unique<Instance>(engine_, script_);
    }
    size_t input_alignment(int) const override { return script_->alignment; }
    core::Availability availability() const override { return script_->availability; }
    int compute_threads() const override { return script_->unfinished_executions_max > 1 ? 0 : 1; }
    bool computes_elsewhere() const override { return script_->computes_elsewhere; }
    bool returns_at_once() const override { return script_->returns_at_once; }
    int unfinished_executions_max() const override { return script_->unfinished_executions_max; }
    int executions_ahead() const override { return script_->executions_ahead; }

   private:
    FakeEngine& engine_;
    std::shared_ptr<const Script> script_;
    const core::ModelSignature& signature_;
    const bool first_;
  };

  const std::string name_;
  const std::string filename_;
  config::EngineGpus gpus_;
  base::Mutex mutex_;
  std::map<std::string, std::shared_ptr<const Script>> scripts_ GUARDED_BY(mutex_);
  std::atomic<int> loads_{0};
  std::atomic<int> alive_{0};
  std::atomic<int> executions_{0};
  std::atomic<int> overlaps_max_{0};
};

}  // namespace inferd::support
