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

// PEM files. TLS is off without a certificate. With a client CA, clients must show a certificate that it signed.
struct TlsOptions {
  std::string certificate_file;
  std::string key_file;
  std::string client_ca_file;
};

struct ListenerOptions {
  bool enabled = true;
  std::string address = "0.0.0.0";
  uint16_t port = 0;             // chosen by the system if 0
  std::string unix_socket = {};  // an additional path to listen on, without TLS; empty for none
  TlsOptions tls = {};
};

// A model repository: a folder of model folders. Requests refer to its name by `repository_name`.
struct RepositoryOptions {
  std::string name;
  std::string path;
};

// The loading of models. kPoll follows changes in the folders. kNone loads the models that exist at the start.
// kExplicit loads `load_models`. Load and unload calls work in each mode.
enum class ControlMode { kNone, kPoll, kExplicit };

// The condition for readiness: all models of the initial set are up; all are up and no later model has failed; any is
// up; each was tried and one is up; the named ones are up; or the server listens.
enum class ReadinessMode { kAll, kEvery, kAny, kTried, kNamed, kServer };

// The time of accepting connections: at once; when every model of the initial set was tried (it serves or cannot); or
// when the server is ready.
enum class AcceptWhen { kAtOnce, kTried, kReady };

// kAuto answers with JSON if the request's Accept header allows it.
enum class HealthBodies { kAuto, kEmpty, kJson };

// The form of NaN and infinities in JSON, which has no numbers for them.
enum class JsonNonFinite { kTokens, kStrings, kNull, kError };

// The protocol of GET /v1/models and /v1/models/M: TensorFlow Serving's and KServe V1's together, or one of them.
enum class V1Status { kUnion, kTfs, kKserve };

// The protocol of POST /v1/models/M:predict: TensorFlow Serving's except for CloudEvents, which only KServe V1 has;
// always TensorFlow Serving's; or always KServe's.
enum class V1Predict { kUnion, kTfs, kKserve };

// The result's key in TensorFlow Serving's classify and regress: as its documentation says, as its server does, or
// both.
enum class TfsResultKey { kBoth, kResult, kResults };

// The limits for peers; each has an error of its own. See net/http/limits.h for the codes.
struct LimitOptions {
  uint64_t header_bytes_max = 128 * 1024;
  uint32_t header_count_max = 256;
  uint64_t target_bytes_max = 8 * 1024;
  uint64_t body_bytes_max = uint64_t{1} << 30;
  uint64_t json_bytes_max = 0;  // of a V2 inference's JSON, and of a raw request's tensor; body_bytes_max if 0
  uint32_t decompression_ratio_max = 100;
  uint64_t body_bytes_in_flight_max = 0;    // all requests together; a quarter of memory if 0
  uint64_t output_bytes_in_flight_max = 0;  // of responses that clients have not read; a quarter of memory if 0
  uint32_t json_depth_max = 64;
  uint32_t connections_max = 10'000;
  uint32_t connections_per_loop = 8;  // before the next loop is used
  uint32_t requests_in_flight_max = 4'096;
  uint32_t queue_size_max = 1'024;  // per model, unless its configuration says otherwise
  uint32_t http2_streams_max = 256;
  uint64_t write_high_water = 1 << 20;
  uint32_t stream_responses_max = 64;  // unread responses of one streamed inference; beyond it the model must pause
  uint64_t stream_bytes_max = 1 << 20;
  std::chrono::milliseconds header_timeout{10'000};
  std::chrono::milliseconds body_timeout{30'000};
  std::chrono::milliseconds idle_timeout{75'000};
  std::chrono::milliseconds http_inference_timeout{0};  // 0 for none
  bool keep_half_closed = false;
};

struct LogOptions {
  base::LogFormat format = base::LogFormat::kHuman;
  std::string file;  // stderr if empty
  int verbose_level = 0;
  bool info = true;
  bool warning = true;
  bool error = true;
  bool access = false;  // one line per request
  // Size of a served model's request log before the next file begins; 0 for no limit
  uint64_t request_file_bytes_max = 0;
  uint32_t request_files_max = 0;  // number of them that are kept per model; 0 for all
};

// The options of the server. Plain data that ParseServerOptions() makes from flags, environment, one YAML file and a
// personality's defaults. Immutable afterwards.
struct ServerOptions {
  const Personality* personality = nullptr;  // set by ParseServerOptions, never null then
  std::string server_name = "inferd";

  bool tcp = true;                      // false to listen on Unix sockets only
  uint32_t unix_socket_client_pid = 0;  // the only process that may connect to Unix sockets; 0 for any
  ListenerOptions http{.port = 8000};
  ListenerOptions grpc{.port = 8001};
  ListenerOptions metrics{.port = 8002};
  uint32_t loop_threads = 0;  // one per core, at most 8, if 0
  GrpcOptions grpc_calls;
  AccessOptions access;
  ClientMemoryOptions client_memory;
  // Headers or metadata with matching names become string parameters of inference requests. Empty for none.
  std::string http_header_forward_pattern;
  // Origins of the pages that may read HTTP responses; "*" for any; empty for none
  std::vector<std::string> http_cors_allow_origins;
  std::string grpc_header_forward_pattern;

  std::vector<RepositoryOptions> repositories;
  RemoteModelsOptions remote_models;
  ServedModelOptions served;
  std::vector<std::string> model_files;  // single files, each served as a model of its own
  ControlMode control_mode = ControlMode::kPoll;
  std::chrono::milliseconds poll_interval{2'000};
  bool new_models = true;                // kPoll: load models that appear after the start, like new versions
  bool unload_removed = true;            // kPoll: unload models whose folders are removed, like versions
  std::vector<std::string> load_models;  // kExplicit: loaded at the start; "*" for all
  LazyOptions lazy;
  CacheOptions cache;
  VersionTransition version_transition = VersionTransition::kAvailability;  // for models that do not say
  uint32_t loader_threads = 4;
  bool recorded_warmups = true;  // versions run the requests recorded in their folders before they serve
  uint32_t recorded_warmup_times = 1;
  std::string model_config_name;        // a model's configs/NAME.pbtxt overrides its config.pbtxt; empty for none
  bool prefer_tflite = false;           // if a folder has several models, use model.tflite
  bool complete_configurations = true;  // fill in missing fields from the model
  uint32_t load_retries = 0;            // for a version that fails to load, as long as its files stay the same
  std::chrono::milliseconds load_retry_interval{60'000};
  int32_t default_max_batch_size = 64;
  UnconfiguredBatching unconfigured_batching = UnconfiguredBatching::kProven;
  std::chrono::milliseconds batching_probe_max{2'000};  // 0 to run no trial executions for batching
  DefaultBatching default_batching;
  int default_instances = 1;      // of an instance group without a count
  bool version_batching = false;  // versions' folders configure batching, in a TensorFlow Serving file
  std::string engine_directory;   // beside the program if empty
  EngineParameters engine_parameters;
  // Folders from which libraries of custom operators may be loaded; empty for none
  std::vector<std::string> op_library_dirs;
  Isolation isolation = Isolation::kNone;  // for models that do not say
  uint32_t cpu_threads = 0;  // of all models together; if set, executions wait for them; 0 for one per core
  ResourceOptions resources;
  GpuOptions gpus;
  uint32_t latency_objective_us = 10'000;  // for models with batching: AUTO that do not say
  uint32_t inline_execution_max_us = 100;  // for models that do not say; 0 to never use connections' threads
  bool latency_counters = true;            // metrics nv_inference_*_duration_us
  std::vector<double> summary_quantiles;   // of metrics nv_inference_*_summary_us; empty for none
  // Dynamic batching waits once until this many requests are queued. See Personality.
  uint32_t delay_until_queued = 0;
  uint32_t delay_until_backlog = 0;  // for sequences: also until this many wait for a slot

  AcceptWhen accept = AcceptWhen::kAtOnce;
  bool exit_on_error = false;              // end the server if a model of the initial set fails to load
  bool exit_on_bad_configuration = false;  // end the server only if such a model's configuration is invalid
  ReadinessMode readiness = ReadinessMode::kTried;
  std::vector<std::string> readiness_models;        // kNamed
  std::chrono::milliseconds drain_grace{1'000};     // after SIGTERM: not ready, still accepting
  std::chrono::milliseconds drain_timeout{30'000};  // then: time limit for requests in flight
  bool core_files = false;                          // allow core files of the server and its workers
  bool dry_run = false;                             // check and print configurations, serve nothing
  bool list_engines = false;                        // print the available engines, serve nothing

  HealthBodies health_bodies = HealthBodies::kAuto;
  JsonNonFinite json_nonfinite = JsonNonFinite::kTokens;
  V1Status v1_status = V1Status::kUnion;
  V1Predict v1_predict = V1Predict::kUnion;
  EventOptions v1_events;
  std::string invocations_model;  // the model of MLflow's /invocations; the only one if empty
  TfsResultKey tfs_result_key = TfsResultKey::kBoth;
  std::string tfs_metrics_path = "/monitoring/prometheus/metrics";  // on HTTP's port; empty for none
  bool tfs_session_graph = false;        // allow SessionRun to feed, fetch and run anything in a model's graph
  bool tfs_grpc_tensor_content = false;  // Predict answers with tensor_content instead of typed values
  bool tfs_method_check = false;         // allow only the signatures' own methods
  bool tfs_cors = false;                 // pages of any origin may read answers of TensorFlow Serving's REST API
  LimitOptions limits;
  LogOptions log;
  PayloadLogOptions payload_log;
  TraceOptions trace;
};

// INVALID_ARGUMENT, naming the options, if options contradict each other.
base::Status CheckServerOptions(const ServerOptions& options);

}  // namespace inferd::config
