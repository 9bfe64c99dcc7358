#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/status.h"
#include "config/default_batching.h"
#include "config/engine_parameters.h"
#include "config/isolation.h"
#include "config/options/access_options.h"
#include "config/options/cache_options.h"
#include "config/options/client_memory_options.h"
#include "config/options/event_options.h"
#include "config/options/gpu_options.h"
#include "config/options/grpc_options.h"
#include "config/options/lazy_options.h"
#include "config/options/payload_log_options.h"
#include "config/options/remote_models_options.h"
#include "config/options/resource_options.h"
#include "config/options/served_options.h"
#include "config/options/trace_options.h"
#include "config/version_transition.h"

namespace inferd::config {

struct Personality;

// Files in PEM. No certificate: no TLS. A client CA: clients must show a certificate that it signed.
struct TlsOptions {
  std::string certificate_file;
  std::string key_file;
  std::string client_ca_file;
};

struct ListenerOptions {
  bool enabled = true;
  std::string address = "0.0.0.0";
  uint16_t port = 0;             // 0: the system picks one
  std::string unix_socket = {};  // a path where it listens as well, without TLS; empty: none
  TlsOptions tls = {};
};

// A model repository: a folder of model folders, under the name that `repository_name` in requests means.
struct RepositoryOptions {
  std::string name;
  std::string path;
};

// How models come and go. kPoll follows the folders; kNone loads what is there at the start; kExplicit loads what
// `load_models` names. Load and unload calls work in each.
enum class ControlMode { kNone, kPoll, kExplicit };

// When the server is ready: every model of the initial set is up, any of them is, each was tried and one is up, those
// named are up, or as soon as it listens.
enum class ReadinessMode { kAll, kEvery, kAny, kTried, kNamed, kServer };

// When connections are accepted: at once, when every model of the initial set was tried (and serves, or cannot), or
// when the server is ready.
enum class AcceptWhen { kAtOnce, kTried, kReady };

// kAuto: JSON for requests whose Accept header takes it.
enum class HealthBodies { kAuto, kEmpty, kJson };

// How NaN and infinities are written in JSON, which has no numbers for them.
enum class JsonNonFinite { kTokens, kStrings, kNull, kError };

// What GET /v1/models and /v1/models/M say: both what TensorFlow Serving and what KServe V1 says, or one of them.
enum class V1Status { kUnion, kTfs, kKserve };

// Whose POST /v1/models/M:predict is: TensorFlow Serving's but for CloudEvents, which only KServe V1 has; all
// TensorFlow Serving's, and nothing is KServe's; all KServe's.
enum class V1Predict { kUnion, kTfs, kKserve };

// Under which key TensorFlow Serving's classify and regress answer: as its document says, as the server does, or both.
enum class TfsResultKey { kBoth, kResult, kResults };

// What a peer may ask for; each answers with an error of its own. See net/http/limits.h for the codes.
struct LimitOptions {
  uint64_t header_bytes_max = 128 * 1024;
  uint32_t header_count_max = 256;
  uint64_t target_bytes_max = 8 * 1024;
  uint64_t body_bytes_max = uint64_t{1} << 30;
  uint32_t decompression_ratio_max = 100;
  uint64_t body_bytes_in_flight_max = 0;    // all requests together; 0: a quarter of memory
  uint64_t output_bytes_in_flight_max = 0;  // of answers that clients have not read; 0: a quarter of memory
  uint32_t json_depth_max = 64;
  uint32_t connections_max = 10'000;
  uint32_t connections_per_loop = 8;  // before the next loop is used
  uint32_t requests_in_flight_max = 4'096;
  uint32_t queue_size_max = 1'024;  // per model, where its configuration does not say
  uint32_t http2_streams_max = 256;
  uint64_t write_high_water = 1 << 20;
  uint32_t stream_responses_max = 64;  // of one streamed inference, unread: then the model is told to hold
  uint64_t stream_bytes_max = 1 << 20;
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds idle_timeout{75'000};
  std::chrono::milliseconds http_inference_timeout{0};  // 0: none
  bool keep_half_closed = false;
};

struct LogOptions {
  base::LogFormat format = base::LogFormat::kHuman;
  std::string file;  // empty: stderr
  int verbose_level = 0;
  bool info = true;
  bool warning = true;
  bool error = true;
  bool access = false;                  // one line per request
  uint64_t request_file_bytes_max = 0;  // of the request logs of served models: then the next file begins; 0: never
  uint32_t request_files_max = 0;       // so many are kept of each; 0: all
};

// How the server runs. Plain data, made by ParseServerOptions from flags, environment, one YAML file and a
// personality's defaults; immutable afterwards.
struct ServerOptions {
  const Personality* personality = nullptr;  // set by ParseServerOptions, never null then
  std::string server_name = "inferd";

  bool tcp = true;                      // false: it listens on Unix sockets alone
  uint32_t unix_socket_client_pid = 0;  // of the only process that may connect to Unix sockets; 0: any
  ListenerOptions http{.port = 8000};
  ListenerOptions grpc{.port = 8001};
  ListenerOptions metrics{.port = 8002};
  uint32_t loop_threads = 0;  // 0: one per core, at most 8
  GrpcOptions grpc_calls;
  AccessOptions access;
  ClientMemoryOptions client_memory;
  // Headers, or metadata, whose names match become string parameters of inference requests; empty: none.
  std::string http_header_forward_pattern;
  std::vector<std::string> http_cors_allow_origins;  // of pages that may use HTTP's answers; "*": any; empty: none
  std::string grpc_header_forward_pattern;

  std::vector<RepositoryOptions> repositories;
  RemoteModelsOptions remote_models;
  ServedModelOptions served;
  std::vector<std::string> model_files;  // single files to serve, each as a model of its own
  ControlMode control_mode = ControlMode::kPoll;
  std::chrono::milliseconds poll_interval{2'000};
  bool new_models = true;                // kPoll: models that come after the start are loaded, as new versions are
  bool unload_removed = true;            // kPoll: models whose folders are removed are unloaded, as versions are
  std::vector<std::string> load_models;  // kExplicit: loaded at the start; "*": all
  LazyOptions lazy;
  CacheOptions cache;
  VersionTransition version_transition = VersionTransition::kAvailability;  // of models that do not say
  uint32_t loader_threads = 4;
  bool recorded_warmups = true;  // versions run the requests recorded in their folders before they serve
  uint32_t recorded_warmup_times = 1;
  std::string model_config_name;  // a model's configs/NAME.pbtxt goes before its config.pbtxt; empty: there is none
  bool prefer_tflite = false;     // of a folder's models, model.tflite is meant
  bool complete_configurations = true;  // what a configuration lacks is taken from the model
  uint32_t load_retries = 0;            // of a version that fails to load, while its files stay the same
  std::chrono::milliseconds load_retry_interval{60'000};
  int32_t default_max_batch_size = 64;
  UnconfiguredBatching unconfigured_batching = UnconfiguredBatching::kProven;
  std::chrono::milliseconds batching_probe_max{2'000};  // 0: models are not executed to see whether they can batch
  DefaultBatching default_batching;
  int default_instances = 1;      // of an instance group that does not say
  bool version_batching = false;  // versions' folders say it, in a file of TensorFlow Serving's
  std::string engine_directory;   // empty: beside the program
  EngineParameters engine_parameters;
  std::vector<std::string> op_library_dirs;  // libraries of custom operators may come from there; empty: from nowhere
  Isolation isolation = Isolation::kNone;    // of models that do not say
  uint32_t cpu_threads = 0;                  // of all models together; given, executions wait for them; 0: one per core
  ResourceOptions resources;
  GpuOptions gpus;
  uint32_t latency_objective_us = 10'000;  // of models with batching: AUTO that do not say
  uint32_t inline_execution_max_us = 100;  // of models that do not say; 0: they never run on connections' threads
  bool latency_counters = true;            // metrics nv_inference_*_duration_us
  std::vector<double> summary_quantiles;   // of metrics nv_inference_*_summary_us; empty: there are none
  uint32_t delay_until_queued = 0;   // of dynamic batching: nothing runs before so many wait, once; see Personality
  uint32_t delay_until_backlog = 0;  // of sequences: and so many for a slot

  AcceptWhen accept = AcceptWhen::kAtOnce;
  bool exit_on_error = false;              // a model of the initial set that fails to load ends the server
  bool exit_on_bad_configuration = false;  // so does one whose configuration is wrong, and no other
  ReadinessMode readiness = ReadinessMode::kTried;
  std::vector<std::string> readiness_models;        // kNamed
  std::chrono::milliseconds drain_grace{1'000};     // after SIGTERM: not ready, still accepting
  std::chrono::milliseconds drain_timeout{30'000};  // then: how long requests in flight may take
  bool core_files = false;                          // the system may write core files of the server and its workers
  bool dry_run = false;                             // check and print configurations, serve nothing
  bool list_engines = false;                        // print which engines there are, serve nothing

  HealthBodies health_bodies = HealthBodies::kAuto;
  JsonNonFinite json_nonfinite = JsonNonFinite::kTokens;
  V1Status v1_status = V1Status::kUnion;
  V1Predict v1_predict = V1Predict::kUnion;
  EventOptions v1_events;
  std::string invocations_model;  // that MLflow's /invocations asks; empty: the only one
  TfsResultKey tfs_result_key = TfsResultKey::kBoth;
  std::string tfs_metrics_path = "/monitoring/prometheus/metrics";  // on HTTP's port; empty: nowhere
  bool tfs_session_graph = false;        // SessionRun may feed, fetch and run anything in a model's graph
  bool tfs_grpc_tensor_content = false;  // Predict answers with tensor_content, not with typed values
  bool tfs_method_check = false;         // signatures are asked for what their methods say, and nothing else
  bool tfs_cors = false;                 // TensorFlow Serving's REST API lets pages of any origin read its answers
  LimitOptions limits;
  LogOptions log;
  PayloadLogOptions payload_log;
  TraceOptions trace;
};

// Options that contradict each other. INVALID_ARGUMENT naming them.
base::Status CheckServerOptions(const ServerOptions& options);

}  // namespace inferd::config
