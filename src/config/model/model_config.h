#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/isolation.h"
#include "config/model/batching_decision.h"
#include "config/model/sequence_batching.h"
#include "config/version_transition.h"
#include "data/tensor/data_type.h"
#include "data/tensor/shape.h"

namespace inferd::config {

class ModelConfigDocument;  // the whole parsed ModelConfig message; see model_config_document.h

struct ModelInput {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape dims;  // without the batch dimension
  bool optional = false;
  std::optional<tensor::Shape> reshape = std::nullopt;  // the shape that the engine receives in place of `dims`
  bool allow_ragged_batch = false;
};

struct ModelOutput {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape dims;  // without the batch dimension
  std::string label_filename = {};
  std::optional<tensor::Shape> reshape = std::nullopt;  // the shape that the engine returns in place of `dims`
};

// BatchInput.Kind: a fact about a ragged batch for the engine, computed from the shapes of one input.
enum class BatchInputKind {
  kElementCount,
  kAccumulatedElementCount,
  kAccumulatedElementCountWithZero,
  kMaxElementCountAsShape,
  kItemShape,
  kItemShapeFlatten,
};

struct BatchInput {
  BatchInputKind kind = BatchInputKind::kElementCount;
  std::string target_name;
  tensor::DataType datatype = tensor::DataType::kInvalid;  // INT32 or FP32
  std::string source_input;
};

// BatchOutput, BATCH_SCATTER_WITH_INPUT_SHAPE: an output without a batch dimension. Each request gets as many of its
// elements, and the same shape, as its `source_input` has.
struct BatchOutput {
  std::string target_name;
  std::string source_input;
};

enum class InstanceKind { kAuto, kGpu, kCpu, kModel };

// ModelRateLimiter.Resource: a resource that an execution holds while it runs.
struct Resource {
  std::string name;
  bool global = false;  // one for the whole server; else one for each device
  uint32_t count = 0;
};

struct InstanceGroup {
  std::string name;
  InstanceKind kind = InstanceKind::kAuto;
  int count = 1;
  std::vector<int32_t> gpus;
  std::string host_policy = {};  // the name of one of the server's; empty if none
  std::vector<Resource> resources = {};
  uint32_t priority = 0;  // ModelRateLimiter: 1 comes first, n gets 1/n as often; 0 means 1
};

// The rule for executions on a connection's loop thread (inferd { inline_execution }).
enum class InlineExecution { kAuto, kNever, kAlways };

// ModelOptimizationPolicy.execution_accelerators: an execution provider of the engine, and its options.
struct Accelerator {
  std::string name;
  std::map<std::string, std::string> parameters;
};

enum class VersionPolicyKind { kLatest, kAll, kSpecific };

struct VersionPolicy {
  VersionPolicyKind kind = VersionPolicyKind::kLatest;
  uint32_t latest = 1;
  std::vector<int64_t> specific;

  bool operator==(const VersionPolicy&) const = default;
};

// Names for versions of a model that requests may use.
using VersionLabels = std::map<std::string, int64_t, std::less<>>;

enum class TimeoutAction { kReject, kDelay };

// ModelQueuePolicy, and inferd { queue_policy }.
struct QueuePolicy {
  TimeoutAction timeout_action = TimeoutAction::kReject;
  uint64_t default_timeout_us = 0;  // 0 for none
  bool allow_timeout_override = false;
  uint32_t queue_size_max = 0;  // 0 for the server's default
};

struct DynamicBatching {
  std::vector<int32_t> preferred_batch_sizes;
  uint64_t max_queue_delay_us = 0;
  bool preserve_ordering = false;
  uint64_t priority_levels = 0;  // 0 for one level; may be as large as the type allows
  uint64_t default_priority_level = 0;
  QueuePolicy default_queue_policy;  // if not written, inferd { queue_policy }
  std::map<uint64_t, QueuePolicy> priority_queue_policy;
};

// inferd { batching }: the rule for batch sizes and delays. kAuto chooses only what dynamic_batching leaves open; a
// completed configuration then has a dynamic_batching. kOff executes every request separately, in the queues that
// dynamic_batching describes.
enum class BatchingMode { kConfigured, kAuto, kOff };

// inferd { padding }: pads one variable dimension of an input to the next of some sizes, so that requests of different
// sizes share a batch. Outputs with the same dimension are cut back.
struct PaddedDimension {
  std::string input;
  int dim = 0;                   // without the batch dimension
  std::vector<int64_t> buckets;  // ascending; larger requests are not padded
  double value = 0;
  struct Output {
    std::string name;
    int dim = 0;
  };
  std::vector<Output> outputs;  // cut back to the request's own size
};

// inferd { concurrency }: an adaptive limit on a model's requests in flight. Off unless `max` > 0.
struct ConcurrencyOptions {
  uint32_t min = 1;
  uint32_t max = 0;
};

// inferd { depends_on }, or the model of an ensemble's step: a model that must be ready while this one is loaded.
struct Dependency {
  std::string model;
  std::optional<int64_t> version = std::nullopt;  // any served version if nullopt

  bool operator==(const Dependency&) const = default;
};

constexpr size_t kDependenciesMax = 64;

// inferd { worker }: the options of the worker process.
struct WorkerOptions {
  uint64_t hang_timeout_ms = 300'000;         // an execution without progress for this long ends the process
  uint64_t shared_memory_bytes = 1ULL << 30;  // limit for an instance's inputs, and for its outputs
  uint64_t body_memory_bytes = 64ULL << 20;   // limit for HTTP request bodies that it reads without a copy
};

// inferd { v1_dialect }: the protocol of the paths that TensorFlow Serving's REST API and KServe V1 share.
enum class V1Dialect { kTensorflowServing, kKserve };

enum class WarmupData { kZero, kRandom, kFile };

struct WarmupInput {
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape dims;
  WarmupData data = WarmupData::kZero;
  std::string file;
};

struct Warmup {
  std::string name;
  uint32_t batch_size = 0;
  uint32_t count = 1;
  std::map<std::string, WarmupInput> inputs;
};

struct Ensemble;  // ensemble_scheduling; see ensemble.h

// Additions of a model's own code to its configuration.
struct CompletedByModel {
  int32_t max_batch_size = 0;     // 0 for no addition
  bool dynamic_batching = false;  // requests share executions
  bool tensors = false;           // true to add inputs and outputs that the configuration does not list
  // model_transaction_policy; nullopt for no addition.
  std::optional<bool> decoupled = std::nullopt;

  bool operator==(const CompletedByModel&) const = default;
};

// The engine of models that are composed of others.
inline constexpr std::string_view kEnsembleEngine = "ensemble";

// The part of a model's configuration that the server acts on. Plain data; immutable once a version is loading.
// `document` is the whole message.
struct ModelConfig {
  std::string name;
  std::string platform;  // for metadata: as written, or completed with platform.h's name
  std::string backend;   // as written, or completed
  std::string engine;    // the engine that runs it: "onnxruntime", "fake", ...; see platform.h
  std::string default_model_filename;
  VersionPolicy version_policy;
  VersionLabels version_labels;
  std::optional<VersionTransition> version_transition;  // the server's if nullopt
  int32_t max_batch_size = 0;
  // True if max_batch_size is our default: it bounds the server's batches, but not the size of a request.
  bool accepts_larger_requests = false;
  // True if its only input has no name of its own: requests may use any name.
  bool any_input_name = false;
  BatchingDecision batching_decision;  // the reason for max_batch_size, in a completed configuration
  std::vector<ModelInput> inputs;
  std::vector<ModelOutput> outputs;
  std::vector<InstanceGroup> instance_groups;
  std::optional<DynamicBatching> dynamic_batching;
  std::optional<SequenceBatching> sequence_batching;
  QueuePolicy queue_policy;  // used without dynamic_batching
  InlineExecution inline_execution = InlineExecution::kAuto;
  uint64_t inline_execution_max_us = 0;  // 0 for the server's default
  std::vector<BatchInput> batch_inputs;
  std::vector<BatchOutput> batch_outputs;
  bool eager_batching = false;  // ModelOptimizationPolicy: form the next batch before an instance is free
  BatchingMode batching = BatchingMode::kConfigured;
  uint64_t latency_objective_us = 0;  // target of batching: AUTO; 0 for the server's default
  bool decoupled = false;             // ModelTransactionPolicy: a request may have any number of responses
  bool split_large_requests = false;  // rows over max_batch_size become several executions and one response
  bool side_effect_free = true;       // a failed batch may be retried, request by request
  std::vector<PaddedDimension> padding;
  std::vector<int64_t> allowed_batch_sizes;  // inferd { batch_padding }: ascending; empty for any
  bool pads_to_largest_shape = false;        // likewise: requests of different shapes share executions
  ConcurrencyOptions concurrency;
  Isolation isolation = Isolation::kNone;
  WorkerOptions worker;
  bool pinned = false;        // inferd { pinned }: with lazy loading, loaded at once and never evicted
  uint64_t memory_bytes = 0;  // inferd { memory_bytes }: memory of a loaded version; 0 for the size of its files
  std::optional<V1Dialect> v1_dialect;   // the server's if nullopt
  std::optional<Dependency> explainer;   // inferd { explainer }: explains this model's responses; one of `dependencies`
  std::vector<Dependency> dependencies;  // without repetitions; more than kDependenciesMax are refused
  std::shared_ptr<const Ensemble> ensemble;  // null if it is not an ensemble
  std::vector<Warmup> warmups;
  std::map<std::string, std::string> parameters;
  std::vector<std::string> op_library_filenames;
  std::map<std::string, std::string> metric_tags;
  std::vector<Accelerator> gpu_accelerators;
  std::vector<Accelerator> cpu_accelerators;
  int graph_optimization_level = 0;  // ModelOptimizationPolicy.graph.level: 0 default, -1 basic, 1 extended
  // Fields that are set but have no effect here: a line each, with place and reason. In a resolved configuration.
  std::vector<std::string> unacted_fields;
  std::shared_ptr<const ModelConfigDocument> document;
};

}  // namespace inferd::config
