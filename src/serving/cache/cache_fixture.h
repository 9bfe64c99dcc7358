#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/thread_pool.h"
#include "serving/cache/caching_scheduler.h"
#include "serving/cache/local_store.h"
#include "serving/core/model_version.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/scheduling/metrics/inference_metrics.h"

namespace inferd::cache {

// Returns everything in a request that its response may depend on, as a text.
inline std::string Describe(const core::QueuedRequest& queued) {
  const core::InferRequest& request = *queued.request;
  std::vector<std::string> inputs;
  for (const core::InferTensor& input : request.inputs) {
    inputs.push_back(input.name + "|" + std::string(tensor::DataTypeName(input.datatype)) + input.shape.ToString() +
                     std::string(input.data.view()));
  }
  std::ranges::sort(inputs);
  std::string text = std::to_string(queued.version->generation());
  for (const std::string& input : inputs) text += "\n" + input;
  for (const int output : queued.layout.outputs) text += "\n>" + std::to_string(output);
  for (const auto& [name, value] : request.parameters) {
    text += "\n" + name + "=" + std::to_string(value.index());
    std::visit(
        [&text](const auto& held) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, std::string>) {
            text += held;
          } else {
            text += std::to_string(held);
          }
        },
        value);
  }
  return text;
}

// Returns a response with the request's description, in a buffer that is much larger, as the buffer of an execution is.
inline core::InferResponse AnswerOf(const core::QueuedRequest& queued) {
  const base::Buffer shared = base::Buffer::CopyOf(Describe(queued) + std::string(1000, '#'));
  core::InferResponse response;
  response.outputs.push_back({.name = "A",
                              .datatype = tensor::DataType::kUint8,
                              .shape = {static_cast<int64_t>(shared.size() - 1000)},
                              .data = {shared, shared.data(), shared.size() - 1000},
                              .parameters = {}});
  return response;
}

// A scheduler that passes its requests to a function.
class FunctionScheduler final : public core::Scheduler {
 public:
  using Function = std::function<void(core::QueuedRequest&&)>;
  explicit FunctionScheduler(Function function) : function_(std::move(function)) {}
  void Enqueue(core::QueuedRequest&& queued) override { function_(std::move(queued)); }

 private:
  const Function function_;
};

// A model 'm' with a response cache. Declare it last: `store` and the data that `executes` uses must outlive it.
class CachedModel final {
 public:
  CachedModel(CacheStore& store, const KeySecret& secret, const base::Clock& clock,
              FunctionScheduler::Function executes, bool threaded = false)
      : store_(store),
        secret_(secret),
        clock_(clock),
        executes_(std::move(executes)),
        deadlines_(clock, threaded),
        config_(std::make_shared<config::ModelConfig>()) {
    Load();
  }

  // Loads a version that replaces the previous one.
  void Load() {
    auto signature = std::make_shared<core::ModelSignature>();
    for (const char* name : {"A", "B"}) {
      for (auto* tensors : {&signature->inputs, &signature->outputs}) {
        tensors->push_back({.name = name, .datatype = tensor::DataType::kUint8, .shape = {-1}, .optional = true});
        tensors->back().any_shape = true;
      }
    }
    const core::ModelId id{"m", 1};
    ++generation_;
    auto statistics = std::make_shared<core::VersionStatistics>();
    CachingScheduler::Parts parts{.id = id,
                                  .config = config_,
                                  .statistics = statistics,
                                  .metrics = metrics_.Add(id, {}, statistics),
                                  .scope = "m/" + std::to_string(generation_),
                                  .scheduler = std::make_unique<FunctionScheduler>(executes_)};
    auto scheduler =
        std::make_unique<CachingScheduler>(std::move(parts), CachingScheduler::Services{.store = store_,
                                                                                        .secret = secret_,
                                                                                        .snapshots = snapshots_,
                                                                                        .deadlines = deadlines_,
                                                                                        .clock = clock_,
                                                                                        .logger = *logger_});
    version_ = core::ModelVersion::Create({.id = id,
                                           .generation = generation_,
                                           .repository = "r",
                                           .platform = "p",
                                           .config = config_,
                                           .signature = signature,
                                           .statistics = statistics,
                                           .scheduler = std::move(scheduler)},
                                          retire_);
  }

  // Makes a request with one input, "A".
  static std::unique_ptr<core::InferRequest> Request(std::string_view bytes) {
    auto request = std::make_unique<core::InferRequest>();
    request->model_name = "m";
    request->inputs.push_back({.name = "A",
                               .datatype = tensor::DataType::kUint8,
                               .shape = {static_cast<int64_t>(bytes.size())},
                               .data = base::BufferSlice(base::Buffer::CopyOf(bytes)),
                               .parameters = {}});
    return request;
  }

  core::QueuedRequest Queue(std::unique_ptr<core::InferRequest> request, core::ResponseCallback callback,
                            std::shared_ptr<const core::ModelVersion> version = nullptr) const {
    core::QueuedRequest queued;
    queued.request = std::move(request);
    queued.completion = core::Completion(std::move(callback));
    queued.version = version == nullptr ? version_ : std::move(version);
    queued.queued_ns = clock_.NowNs();
    const base::Status status = queued.Validate();
    if (!status.ok()) throw std::logic_error(status.message());
    queued.PlaceOutputs();
    return queued;
  }

  void Send(std::unique_ptr<core::InferRequest> request, core::ResponseCallback callback) {
    core::QueuedRequest queued = Queue(std::move(request), std::move(callback));
    core::Scheduler& scheduler = queued.version->scheduler();
    scheduler.Enqueue(std::move(queued));
  }

  core::ModelStatistics Statistics() const { return version_->statistics().Read(); }
  const std::shared_ptr<const core::ModelVersion>& version() const { return version_; }
  config::ModelConfig& config() { return *config_; }  // for the next load
  scheduling::DeadlineWatch& deadlines() { return deadlines_; }
  // Sets the logger of the next load. Must not be null.
  void SetLogger(std::unique_ptr<base::Logger> logger) { logger_ = std::move(logger); }

 private:
  CacheStore& store_;
  const KeySecret& secret_;
  const base::Clock& clock_;
  const FunctionScheduler::Function executes_;
  metrics::Registry registry_;
  scheduling::InferenceMetrics metrics_{registry_};
  core::SnapshotPublisher snapshots_;
  scheduling::DeadlineWatch deadlines_;
  base::ThreadPool retire_{"retire", 1};
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  const std::shared_ptr<config::ModelConfig> config_;
  uint64_t generation_ = 0;
  std::shared_ptr<const core::ModelVersion> version_;
};

}  // namespace inferd::cache
