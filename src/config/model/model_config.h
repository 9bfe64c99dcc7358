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

class ModelConfigDocument;  // the parsed ModelConfig message, whole; see model_config_document.h

struct ModelInput {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape dims;  // without the batch dimension
  bool optional = false;
  std::optional<tensor::Shape> reshape = std::nullopt;  // what the engine sees in place of `dims`
  bool allow_ragged_batch = false;
};

struct ModelOutput {
  std::string name;
  tensor::DataType datatype = tensor::DataType::kInvalid;
  tensor::Shape dims;  // without the batch dimension
  std::string label_filename = {};
  std::optional<tensor::Shape> reshape = std::nullopt;  // what the engine gives in place of `dims`
};

// BatchInput.Kind: what the server tells an engine about a ragged batch, made from the shapes of one input.
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

// BatchOutput, BATCH_SCATTER_WITH_INPUT_SHAPE: an output without a batch dimension, of which each request gets as many
// elements, in the shape, as it brought of `source_input`.
struct BatchOutput {
  std::string target_name;
  std::string source_input;
};

enum class InstanceKind { kAuto, kGpu, kCpu, kModel };

// ModelRateLimiter.Resource: what an execution holds while it runs.
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
  std::string host_policy = {};  // the name of one of the server's; empty: none
  std::vector<Resource> resources = {};
  uint32_t priority = 0;  // ModelRateLimiter: 1 comes first, n gets 1/n as often; 0: 1
};

// Whether executions may run on the connection's own loop thread (inferd { inline_execution }).
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

// Names that requests may use for versions of a model, and the versions.
using VersionLabels = std::map<std::string, int64_t, std::less<>>;

enum class TimeoutAction { kReject, kDelay };

// ModelQueuePolicy, and inferd { queue_policy }.
struct QueuePolicy {
  TimeoutAction timeout_action = TimeoutAction::kReject;
  uint64_t default_timeout_us = 0;  // 0: none
  bool allow_timeout_override = false;
  uint32_t queue_size_max = 0;  // 0: the server's default
};

struct DynamicBatching {
  std::vector<int32_t> preferred_batch_sizes;
  uint64_t max_queue_delay_us = 0;
  bool preserve_ordering = false;
  uint64_t priority_levels = 0;  // 0: one level; may be as large as the type is
  uint64_t default_priority_level = 0;
  QueuePolicy default_queue_policy;  // where it is not written, inferd { queue_policy }
  std::map<uint64_t, QueuePolicy> priority_queue_policy;
};

// inferd { batching }: what decides on sizes and delays. kAuto chooses only what dynamic_batching does not say, and a
// completed configuration has a dynamic_batching then; kOff executes every request by itself, in the queues that
// dynamic_batching describes.
enum class BatchingMode { kConfigured, kAuto, kOff };

// inferd { padding }: one variable dimension of an input is filled up to the next of some sizes, so that requests of
// different sizes share a batch. Outputs are cut back where they have the same dimension.
struct PaddedDimension {
  std::string input;
  int dim = 0;                   // counted without the batch dimension
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

// inferd { depends_on }, or the model of an ensemble's step: the model is loaded only while that one has it ready.
struct Dependency {
  std::string model;
  std::optional<int64_t> version = std::nullopt;  // nothing: whichever are served

  bool operator==(const Dependency&) const = default;
};

constexpr size_t kDependenciesMax = 64;

// inferd { worker }: that process.
struct WorkerOptions {
  uint64_t hang_timeout_ms = 300'000;         // an execution without a sign of life for so long ends it
  uint64_t shared_memory_bytes = 1ULL << 30;  // the most that an instance's inputs, and its outputs, may have
  uint64_t body_memory_bytes = 64ULL << 20;   // the most of HTTP requests' bodies that it sees without a copy
};

// inferd { v1_dialect }: whose the paths are that TensorFlow Serving's REST and KServe V1 share.
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

// What a model's own code adds to its configuration.
struct CompletedByModel {
  int32_t max_batch_size = 0;     // 0: nothing
  bool dynamic_batching = false;  // requests share executions
  bool tensors = false;           // inputs and outputs that the configuration does not list
  // model_transaction_policy; nullopt: nothing
  std::optional<bool> decoupled = std::nullopt;

  bool operator==(const CompletedByModel&) const = default;
};

// The engine of models that are made of others.
inline constexpr std::string_view kEnsembleEngine = "ensemble";

// What the server acts on, out of a model's configuration. Plain data; immutable once a version is loading. The whole
// message it came from is `document`.
struct ModelConfig {
  std::string name;
  std::string platform;  // what metadata says: as written; once completed, the name that platform.h has for it
  std::string backend;   // as written, or completed
  std::string engine;    // which engine runs it: "onnxruntime", "fake", ...; see platform.h
  std::string default_model_filename;
  VersionPolicy version_policy;
  VersionLabels version_labels;
  std::optional<VersionTransition> version_transition;  // nothing: the server's
  int32_t max_batch_size = 0;
  // max_batch_size is a default of ours: a bound on batches that are made here, none on what a request may bring.
  bool accepts_larger_requests = false;
  // Its only input has no name of its own: a request may call it by any.
  bool any_input_name = false;
  BatchingDecision batching_decision;  // why max_batch_size is what it is; of a completed configuration
  std::vector<ModelInput> inputs;
  std::vector<ModelOutput> outputs;
  std::vector<InstanceGroup> instance_groups;
  std::optional<DynamicBatching> dynamic_batching;
  std::optional<SequenceBatching> sequence_batching;
  QueuePolicy queue_policy;  // without dynamic_batching
  InlineExecution inline_execution = InlineExecution::kAuto;
  uint64_t inline_execution_max_us = 0;  // 0: the server's default
  std::vector<BatchInput> batch_inputs;
  std::vector<BatchOutput> batch_outputs;
  bool eager_batching = false;  // ModelOptimizationPolicy: form the next batch before an instance is free
  BatchingMode batching = BatchingMode::kConfigured;
  uint64_t latency_objective_us = 0;  // what batching: AUTO aims at; 0: the server's default
  bool decoupled = false;             // ModelTransactionPolicy: a request may have any number of responses
  bool split_large_requests = false;  // rows over max_batch_size become several executions and one answer
  bool side_effect_free = true;       // a batch that failed may be tried again, request by request
  std::vector<PaddedDimension> padding;
  std::vector<int64_t> allowed_batch_sizes;  // inferd { batch_padding }: ascending; empty: any
  bool pads_to_largest_shape = false;        // there: requests of different shapes share executions
  ConcurrencyOptions concurrency;
  Isolation isolation = Isolation::kNone;
  WorkerOptions worker;
  bool pinned = false;        // inferd { pinned }: with lazy loading, loaded at once and never unloaded for others
  uint64_t memory_bytes = 0;  // inferd { memory_bytes }: what a loaded version holds; 0: the size of its files
  std::optional<V1Dialect> v1_dialect;       // nothing: the server's
  std::optional<Dependency> explainer;       // inferd { explainer }: of this model's answers; one of `dependencies`
  std::vector<Dependency> dependencies;      // each once; more than kDependenciesMax are refused
  std::shared_ptr<const Ensemble> ensemble;  // null: it is none
  std::vector<Warmup> warmups;
  std::map<std::string, std::string> parameters;
  std::vector<std::string> op_library_filenames;
  std::map<std::string, std::string> metric_tags;
  std::vector<Accelerator> gpu_accelerators;
  std::vector<Accelerator> cpu_accelerators;
  int graph_optimization_level = 0;  // ModelOptimizationPolicy.graph.level: 0 default, -1 basic, 1 extended
  // Fields that are written and change nothing here: a line each, with place and reason. Of a resolved configuration.
  std::vector<std::string> unacted_fields;
  std::shared_ptr<const ModelConfigDocument> document;
};

}  // namespace inferd::config
