#pragma once

#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/thread_pool.h"
#include "serving/core/model_version.h"
#include "serving/scheduling/held_threads.h"
#include "serving/scheduling/queue/deadline_watch.h"
#include "serving/scheduling/scheduler_factory.h"
#include "tests/support/fake_engine.h"

namespace inferd::scheduling {

// A version on a InstanceScheduler over the fake engine, and what it stands on. For tests.
class SchedulingFixture {
 public:
  explicit SchedulingFixture(const base::Clock& clock, bool threaded_deadlines = false,
                             const config::ResourceOptions& resources = {}, int cpu_threads = 0)
      : clock_(clock),
        deadlines_(clock, threaded_deadlines),
        resources_(resources, cpu_threads),
        host_policies_(resources.host_policies) {}
  // Waits until every version has ended: an instance's thread may hold one a little longer than its requests do.
  ~SchedulingFixture() { AwaitEnded(); }

  void AwaitEnded() {
    base::MutexLock lock(mutex_);
    while (versions_ > 0) ended_.Wait(mutex_);
  }

  std::shared_ptr<const core::ModelVersion> MakeVersion(support::FakeEngine::Script script,
                                                        SchedulerOptions options = {}, config::QueuePolicy policy = {},
                                                        int instances = 1, std::vector<int> engine_inputs = {},
                                                        std::vector<int> engine_outputs = {}) {
    config::ModelConfig config;
    config.queue_policy = policy;
    return MakeModel(std::move(script), std::move(config), options, instances, std::move(engine_inputs),
                     std::move(engine_outputs));
  }

  // Where `model` batches, the script's signature is to have a max_batch_size; the tensors of its sequences' states
  // stand behind the others there.
  std::shared_ptr<const core::ModelVersion> MakeModel(support::FakeEngine::Script script, config::ModelConfig model,
                                                      SchedulerOptions options = {}, int instances = 1,
                                                      std::vector<int> engine_inputs = {},
                                                      std::vector<int> engine_outputs = {}) {
    engine_.SetScript("", script);
    model.name = "m";
    const auto config = std::make_shared<const config::ModelConfig>(std::move(model));
    core::SchedulerParts parts;
    parts.id = {"m", 1};
    parts.config = config;
    parts.signature = std::make_shared<core::ModelSignature>(ForClients(script.signature, *config));
    parts.engine_inputs = std::move(engine_inputs);
    parts.engine_outputs = std::move(engine_outputs);
    parts.statistics = std::make_shared<core::VersionStatistics>();
    core::LoadSpec spec;
    spec.model_name = "m";
    parts.model = *engine_.Load(spec);
    for (int i = 0; i < instances; ++i) parts.instances.push_back(*parts.model->CreateInstance({.ordinal = i}));
    core::ModelVersion::Parts version{.id = parts.id,
                                      .generation = 1,
                                      .repository = "r",
                                      .platform = "fake",
                                      .config = config,
                                      .signature = parts.signature,
                                      .statistics = parts.statistics,
                                      .scheduler = nullptr};
    auto scheduler = MakeSchedulerFactory(
        options, {clock_, deadlines_, metrics_, resources_, host_policies_, held_threads_, *logger_})(std::move(parts));
    version.scheduler = *std::move(scheduler);
    {
      base::MutexLock lock(mutex_);
      ++versions_;
    }
    return core::ModelVersion::Create(std::move(version), retire_, [this] {
      base::MutexLock lock(mutex_);
      --versions_;
      ended_.NotifyAll();
    });
  }

  static core::ModelSignature ForClients(core::ModelSignature signature, const config::ModelConfig& config) {
    if (!config.sequence_batching.has_value()) return signature;
    for (const config::SequenceState& state : config.sequence_batching->states) {
      std::erase_if(signature.inputs, [&](const core::TensorSpec& spec) { return spec.name == state.input; });
      std::erase_if(signature.outputs, [&](const core::TensorSpec& spec) { return spec.name == state.output; });
    }
    return signature;
  }

  core::QueuedRequest Request(std::shared_ptr<const core::ModelVersion> version, core::ResponseCallback callback,
                              size_t elements = 2, int64_t rows = 1, char fill = 'x') {
    core::QueuedRequest queued;
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->model_name = "m";
    queued.request->id = "id";
    core::InferTensor input;
    input.name = "INPUT0";
    input.datatype = tensor::DataType::kInt32;
    input.shape = {rows, static_cast<int64_t>(elements)};
    input.data = base::BufferSlice(base::Buffer::CopyOf(std::string(static_cast<size_t>(rows) * elements * 4, fill)));
    queued.request->inputs.push_back(std::move(input));
    queued.completion = core::Completion(std::move(callback));
    if (!core::ValidateRequest(*queued.request, "m", version->signature(), &queued.layout).ok()) std::abort();
    queued.queued_ns = clock_.NowNs();
    queued.version = std::move(version);
    return queued;
  }

  // Enqueues; the future has the final response.
  std::future<core::InferResponse> Send(core::QueuedRequest queued) {
    auto promise = std::make_shared<std::promise<core::InferResponse>>();
    queued.completion = core::Completion([promise](core::InferResponse r) { promise->set_value(std::move(r)); });
    auto& scheduler = queued.version->scheduler();
    scheduler.Enqueue(std::move(queued));
    return promise->get_future();
  }

  // Returns when no instance of the version runs anything: they are free a little later than the requests are answered.
  static void AwaitIdle(const core::ModelVersion& version) {
    while (version.scheduler().Report().busy_instances > 0) std::this_thread::yield();
  }

  ResourceArbiter& resources() { return resources_; }
  DeadlineWatch& deadlines() { return deadlines_; }
  const HeldThreads& held_threads() const { return held_threads_; }
  support::FakeEngine& engine() { return engine_; }
  metrics::Registry& registry() { return registry_; }

 private:
  const base::Clock& clock_;
  support::FakeEngine engine_;
  metrics::Registry registry_;
  InferenceMetrics metrics_{registry_};
  DeadlineWatch deadlines_;
  ResourceArbiter resources_;
  const HostPolicies host_policies_;
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  HeldThreads held_threads_{*logger_};
  base::Mutex mutex_;
  base::CondVar ended_;
  int versions_ GUARDED_BY(mutex_) = 0;
  base::ThreadPool retire_{"retire", 1};
};

// Holds executions until the test lets them go.
class Gate final {
 public:
  void Enter() {
    base::MutexLock lock(mutex_);
    ++waiting_;
    changed_.NotifyAll();
    while (!open_) changed_.Wait(mutex_);
    --waiting_;
  }
  void Open() {
    base::MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }
  // Returns when `n` are inside.
  void AwaitEntered(int n) {
    base::MutexLock lock(mutex_);
    while (waiting_ < n) changed_.Wait(mutex_);
  }

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  int waiting_ GUARDED_BY(mutex_) = 0;
  bool open_ GUARDED_BY(mutex_) = false;
};

}  // namespace inferd::scheduling
