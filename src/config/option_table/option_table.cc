#include "config/option_table/option_table.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "config/base_path.h"
#include "config/option_table/option_field.h"
#include "config/option_table/option_rows.h"

namespace inferd::config {
namespace {

using S = ServerOptions;
using Listener = ListenerOptions;
using Tls = TlsOptions;
using Events = EventOptions;
using Limit = LimitOptions;
using Remote = RemoteModelsOptions;
using Served = ServedModelOptions;

constexpr std::string_view kControlModes = "none|poll|explicit";
constexpr std::string_view kTransitions = "availability|resource";
constexpr std::string_view kUnconfiguredBatching = "proven|leading-dimension";
constexpr std::string_view kAcceptWhen = "at-once|tried|ready";
constexpr std::string_view kHealthBodies = "auto|empty|json";
constexpr std::string_view kJsonNonFinite = "tokens|strings|null|error";
constexpr std::string_view kV1Status = "union|tfs|kserve";
constexpr std::string_view kV1Predict = "union|tfs|kserve";
constexpr std::string_view kTfsResultKey = "both|result|results";

// Parses [NAME=]PATH. Without a name, the folder's name is used.
base::Status AddBasePath(ServerOptions& options, std::string_view text) {
  NamedPath given = SplitNamedPath(text);
  if (given.path.empty()) return base::InvalidArgument("expected [NAME=]PATH, got '" + std::string(text) + "'");
  if (given.name.empty()) {
    std::filesystem::path path = std::filesystem::path(given.path).lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    given.name = path.filename().empty() ? given.path : path.filename().string();
  }
  options.served.base_paths.push_back({.name = std::move(given.name), .path = std::move(given.path)});
  return base::OkStatus();
}

template <auto... Path>
base::Status AddFolder(ServerOptions& options, std::string_view text) {
  auto& folder = At<Path...>(options).emplace_back();
  const size_t equals = text.find('=');
  const bool named =
      equals != std::string_view::npos && equals > 0 && text.substr(0, equals).find('/') == std::string_view::npos;
  folder.path = named ? text.substr(equals + 1) : text;
  if (folder.path.empty()) return base::InvalidArgument("expected [NAME=]PATH, got '" + std::string(text) + "'");
  if (named) {
    folder.name = text.substr(0, equals);
    return base::OkStatus();
  }
  std::error_code error;  // the path stays unchanged if there is no current directory
  std::filesystem::path path = std::filesystem::absolute(folder.path, error).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  folder.name = path.filename().empty() ? folder.path : path.filename().string();
  return base::OkStatus();
}

// Any other text is a list of models.
constexpr std::pair<std::string_view, ReadinessMode> kReadinessModes[] = {{"tried", ReadinessMode::kTried},
                                                                          {"all", ReadinessMode::kAll},
                                                                          {"every", ReadinessMode::kEvery},
                                                                          {"any", ReadinessMode::kAny},
                                                                          {"server", ReadinessMode::kServer}};

base::Status SetReadiness(ServerOptions& options, std::string_view text) {
  options.readiness_models.clear();
  for (const auto& [name, mode] : kReadinessModes) {
    if (name != text) continue;
    options.readiness = mode;
    return base::OkStatus();
  }
  options.readiness = ReadinessMode::kNamed;
  for (std::string_view rest = text;;) {
    const std::string_view name = rest.substr(0, rest.find(','));
    if (name.empty()) {
      return base::InvalidArgument("expected tried|all|every|any|server|NAME,..., got '" + std::string(text) + "'");
    }
    options.readiness_models.emplace_back(name);
    if (name.size() == rest.size()) return base::OkStatus();
    rest.remove_prefix(name.size() + 1);
  }
}

std::string PrintReadiness(ServerOptions& options) {
  for (const auto& [name, mode] : kReadinessModes) {
    if (mode == options.readiness) return std::string(name);
  }
  std::string names;
  for (const std::string& name : options.readiness_models) names += (names.empty() ? "" : ",") + name;
  return names;
}

constexpr std::string_view kModelsGroup = "Models";
constexpr std::string_view kListeners = "Listeners";
constexpr std::string_view kLifecycle = "Start, readiness and end";
constexpr std::string_view kAnswers = "Answers";
constexpr std::string_view kLimits = "Limits";
constexpr std::string_view kLazyLoading = "Models loaded when they are needed";

// Returns the rows on models' locations.
std::vector<Option> PlaceRows() {
  return {
      {.group = kModelsGroup,
       .name = "model-repository",
       .value_name = "[NAME=]PATH",
       .help = "folder of model folders, or a storage URI of one; the name is what `repository_name` means",
       .repeated = true,
       .set = AddFolder<&S::repositories>,
       .print = PrintNothing},
      {.group = kModelsGroup,
       .name = "model-base-path",
       .value_name = "[NAME=]PATH",
       .help = "one model, in a folder of its versions; an absolute path, or a storage URI",
       .repeated = true,
       .set = AddBasePath,
       .print = PrintNothing},
      Plain<&S::remote_models, &Remote::poll_interval>(
          kModelsGroup, "remote-poll-interval", "TIME",
          "how often storage URIs are looked at, unless --model-control-mode=none; 0: at the start alone"),
      Plain<&S::remote_models, &Remote::folder>(kModelsGroup, "remote-models-dir", "PATH",
                                                "where their models come; default: the system's temporary folder"),
      Plain<&S::served, &Served::config_file>(kModelsGroup, "model-config-file", "FILE",
                                              "models by name: TensorFlow Serving's ModelServerConfig, as text, or "
                                              "OpenVINO Model Server's config.json"),
      Plain<&S::served, &Served::config_poll>(kModelsGroup, "model-config-poll-interval", "TIME",
                                              "how often that file is read again; 0: never"),
      Plain<&S::served, &Served::early_labels>(kModelsGroup, "early-version-labels", "",
                                               "a new label in it may name a version that is not ready"),
      Plain<&S::model_files>(
          kModelsGroup, "model-file", "[NAME=]FILE",
          "a model file to serve by itself, also without the flag; with a name and an absolute path, "
          "a folder of one model's files too, with or without folders of versions"),
  };
}

std::vector<Option> ModelRows() {
  return {
      Choice<kControlModes, &S::control_mode>(
          kModelsGroup, "model-control-mode",
          "poll: follow the folders; none: load once; explicit: load what --load-model names. Load and unload calls "
          "work in each"),
      Plain<&S::poll_interval>(kModelsGroup, "poll-interval", "TIME", "how often the folders are looked at"),
      Plain<&S::new_models>(kModelsGroup, "new-models", "",
                            "with poll: models that come while it runs are loaded; new versions are in any case"),
      Plain<&S::unload_removed>(kModelsGroup, "unload-removed", "",
                                "with poll: models whose folders are removed are unloaded; versions are in any case"),
      Plain<&S::load_models>(kModelsGroup, "load-model", "NAME",
                             "with explicit: load this model at the start; '*': all"),
      Choice<kTransitions, &S::version_transition>(
          kModelsGroup, "version-transition",
          "of models that do not say: a new version is loaded before the old one goes, or after it is gone"),
      Plain<&S::loader_threads>(kModelsGroup, "loader-threads", "N", "models loaded at the same time"),
      Plain<&S::recorded_warmups>(kModelsGroup, "recorded-warmups", "",
                                  "versions run the requests of their assets.extra/tf_serving_warmup_requests before "
                                  "they serve"),
      Plain<&S::recorded_warmup_times>(kModelsGroup, "recorded-warmup-times", "N", "how often each of them"),
      Plain<&S::model_config_name>(kModelsGroup, "model-config-name", "NAME",
                                   "a model's configs/NAME.pbtxt goes before its config.pbtxt"),
      Plain<&S::prefer_tflite>(kModelsGroup, "prefer-tflite", "",
                               "a version folder with a model.tflite is served from it, whatever else is there"),
      Plain<&S::complete_configurations>(
          kModelsGroup, "complete-configurations", "",
          "what a configuration lacks is taken from the model; false: models without are refused"),
      Plain<&S::load_retries>(kModelsGroup, "load-retries", "N",
                              "how often a version that fails to load is tried again with the same files"),
      Plain<&S::load_retry_interval>(kModelsGroup, "load-retry-interval", "TIME",
                                     "how long after each time; 0: at once"),
      Plain<&S::default_max_batch_size>(kModelsGroup, "default-max-batch-size", "N",
                                        "for models that can batch and have no max_batch_size of their own; 0: none"),
      Choice<kUnconfiguredBatching, &S::unconfigured_batching>(
          kModelsGroup, "unconfigured-batching",
          "which of them can: those whose dimension names say that rows are a batch and whose executions at load "
          "agree, or all whose tensors begin with a dimension of any size, be it a batch or not"),
      Plain<&S::batching_probe_max>(
          kModelsGroup, "batching-probe-max", "TIME",
          "how long a load may execute a model to see whether its rows influence each other; 0: not at all, so that "
          "no model proves that it can batch"),
  };
}

// Adds the rows of one listener's TLS, whose names begin with the listener's.
template <auto Server>
void AddTlsRows(std::vector<Option>& rows, std::string_view certificate, std::string_view key,
                std::string_view client_ca) {
  rows.push_back(Plain<Server, &Listener::tls, &Tls::certificate_file>(kListeners, certificate, "FILE",
                                                                       "PEM chain; turns TLS on"));
  rows.push_back(Plain<Server, &Listener::tls, &Tls::key_file>(kListeners, key, "FILE", "PEM private key"));
  rows.push_back(Plain<Server, &Listener::tls, &Tls::client_ca_file>(
      kListeners, client_ca, "FILE", "clients must show a certificate that this CA signed"));
}

base::Status AddSummaryQuantile(ServerOptions& options, std::string_view text) {
  double quantile = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quantile);
  if (error != std::errc() || end != text.data() + text.size() || !(quantile > 0 && quantile < 1)) {
    return base::InvalidArgument("expected a number between 0 and 1, got '" + std::string(text.substr(0, 64)) + "'");
  }
  options.summary_quantiles.push_back(quantile);
  return base::OkStatus();
}

std::vector<Option> HttpRows() {
  std::vector<Option> rows = {
      Plain<&S::tcp>(kListeners, "tcp", "", "open ports; false: listen on Unix sockets alone"),
      Plain<&S::unix_socket_client_pid>(kListeners, "unix-socket-client-pid", "PID",
                                        "the only process that may connect to Unix sockets; 0: any"),
      Plain<&S::http, &Listener::enabled>(kListeners, "http", "", "serve HTTP"),
      Plain<&S::http, &Listener::address>(kListeners, "http-address", "ADDRESS", "where HTTP listens"),
      Plain<&S::http, &Listener::port>(kListeners, "http-port", "PORT", "0: any free one"),
      Plain<&S::http, &Listener::unix_socket>(kListeners, "http-unix-socket", "PATH", "where HTTP listens as well"),
      Plain<&S::http_header_forward_pattern>(
          kListeners, "http-header-forward-pattern", "REGEX",
          "headers whose names match, without regard to case, become parameters of requests"),
      Plain<&S::http_cors_allow_origins>(
          kListeners, "http-cors-allow-origin", "ORIGIN",
          "web pages from there may send requests over HTTP and read the answers; '*': from anywhere"),
  };
  AddTlsRows<&S::http>(rows, "http-tls-certificate", "http-tls-key", "http-tls-client-ca");
  return rows;
}

std::vector<Option> GrpcListenerRows() {
  std::vector<Option> rows = {
      Plain<&S::grpc, &Listener::enabled>(kListeners, "grpc", "", "serve gRPC on a port of its own"),
      Plain<&S::grpc, &Listener::address>(kListeners, "grpc-address", "ADDRESS", "where gRPC listens"),
      Plain<&S::grpc, &Listener::port>(kListeners, "grpc-port", "PORT", "0: any free one"),
      Plain<&S::grpc, &Listener::unix_socket>(kListeners, "grpc-unix-socket", "PATH", "where gRPC listens as well"),
      Plain<&S::grpc_header_forward_pattern>(kListeners, "grpc-header-forward-pattern", "REGEX",
                                             "the same for metadata of gRPC"),
  };
  AddTlsRows<&S::grpc>(rows, "grpc-tls-certificate", "grpc-tls-key", "grpc-tls-client-ca");
  return rows;
}

std::vector<Option> MetricsRows() {
  std::vector<Option> rows = {
      Plain<&S::metrics, &Listener::enabled>(kListeners, "metrics", "",
                                             "serve Prometheus metrics on a port of their own"),
      Plain<&S::metrics, &Listener::address>(kListeners, "metrics-address", "ADDRESS", "where metrics listen"),
      Plain<&S::metrics, &Listener::port>(kListeners, "metrics-port", "PORT", "0: any free one"),
  };
  AddTlsRows<&S::metrics>(rows, "metrics-tls-certificate", "metrics-tls-key", "metrics-tls-client-ca");
  rows.push_back(Plain<&S::latency_counters>(kListeners, "metrics-latency-counters", "",
                                             "the metrics nv_inference_*_duration_us"));
  rows.push_back(Plain<&S::gpus, &GpuOptions::metrics>(kListeners, "gpu-metrics", "",
                                                       "the metrics nv_gpu_*, where there are GPUs of NVIDIA"));
  rows.push_back(Plain<&S::gpus, &GpuOptions::metrics_interval>(kListeners, "gpu-metrics-interval", "TIME",
                                                                "how often these are read"));
  rows.push_back({.group = kListeners,
                  .name = "metrics-summary-quantile",
                  .value_name = "Q",
                  .help = "a quantile, such as 0.99, of the metrics nv_inference_*_summary_us, which there are then",
                  .repeated = true,
                  .set = AddSummaryQuantile,
                  .print = PrintNothing});
  rows.push_back(Plain<&S::loop_threads>(kListeners, "loop-threads", "N",
                                         "threads for connections; 0: one per usable CPU, at most 8"));
  return rows;
}

std::vector<Option> LifecycleRows() {
  return {
      {.group = kLifecycle,
       .name = "readiness",
       .value_name = "tried|all|every|any|server|NAME,...",
       .help = "when the server is ready: all models were tried and one is up, all are up, all are and none that came "
               "later has failed, any is, those named are, or as soon as it listens",
       .set = SetReadiness,
       .print = PrintReadiness},
      Choice<kAcceptWhen, &S::accept>(kLifecycle, "accept",
                                      "when connections are accepted: at once, when all models were tried (those that "
                                      "fail hold up nobody), or when the server is ready"),
      Plain<&S::exit_on_error>(kLifecycle, "exit-on-error", "", "end if a model fails to load at the start"),
      Plain<&S::exit_on_bad_configuration>(
          kLifecycle, "exit-on-bad-configuration", "",
          "end if a model's configuration is wrong at the start; other failures to load are none"),
      Plain<&S::dry_run>(kLifecycle, "dry-run", "", "print completed configurations and every problem; serve nothing"),
      Plain<&S::list_engines>(
          kLifecycle, "list-engines", "",
          "print the engines that are there, what they read, and those that are not; serve nothing"),
      Plain<&S::core_files>(kLifecycle, "core-files", "",
                            "let the system write core files of the server and its worker processes, which other "
                            "processes of the same user can look into then"),
      Plain<&S::drain_grace>(kLifecycle, "drain-grace", "TIME", "after SIGTERM: not ready, but still accepting"),
      Plain<&S::drain_timeout>(kLifecycle, "drain-timeout", "TIME", "then: how long requests in flight may take"),
  };
}

std::vector<Option> AnswerRows() {
  return {
      Plain<&S::server_name>(kAnswers, "name", "NAME", "the server's name in its metadata"),
      Choice<kHealthBodies, &S::health_bodies>(
          kAnswers, "health-bodies",
          "bodies of health answers; auto: JSON where the request has an Accept header that takes it"),
      Choice<kJsonNonFinite, &S::json_nonfinite>(kAnswers, "json-nonfinite", "NaN and infinities in JSON answers"),
      Choice<kV1Status, &S::v1_status>(kAnswers, "v1-status",
                                       "GET /v1/models[/M] as TensorFlow Serving, as KServe V1, or both in one"),
      Choice<kV1Predict, &S::v1_predict>(
          kAnswers, "v1-predict",
          "POST /v1/models/M:predict as TensorFlow Serving, as KServe V1, or as KServe V1 "
          "for CloudEvents alone; with tfs, nothing is KServe's"),
      Plain<&S::v1_events, &Events::type>(kAnswers, "v1-event-type", "TYPE",
                                          "the type of CloudEvents that answer KServe V1's predictions"),
      Plain<&S::v1_events, &Events::source>(kAnswers, "v1-event-source", "SOURCE",
                                            "their source; default: io.kserve.inference. and the model's name"),
      Plain<&S::v1_events, &Events::merge>(
          kAnswers, "v1-event-merge", "",
          "they keep the attributes of the request's event but for its id, source, type "
          "and time"),
      Plain<&S::invocations_model>(kAnswers, "invocations-model", "NAME",
                                   "the model that MLflow's POST /invocations asks; default: the only one"),
      Choice<kTfsResultKey, &S::tfs_result_key>(kAnswers, "tfs-result-key",
                                                "what TensorFlow Serving's classify and regress answer under"),
      Plain<&S::tfs_metrics_path>(kAnswers, "tfs-metrics-path", "PATH",
                                  "where HTTP's port has the page of metrics for TensorFlow Serving's scrapers"),
      Plain<&S::tfs_session_graph>(kAnswers, "tfs-session-graph", "",
                                   "SessionRun feeds, fetches and runs whatever a model's graph has, and not only the "
                                   "inputs and outputs of signatures"),
      Plain<&S::tfs_grpc_tensor_content>(
          kAnswers, "tfs-grpc-tensor-content", "",
          "outputs of TensorFlow Serving's Predict as tensor_content, not as typed values"),
      Plain<&S::tfs_method_check>(
          kAnswers, "tfs-method-check", "",
          "TensorFlow Serving's Predict, Classify and Regress refuse signatures of other methods"),
      Plain<&S::tfs_cors>(kAnswers, "tfs-cors", "", "CORS headers on TensorFlow Serving's REST API, for any origin"),
  };
}

std::vector<Option> LimitRows() {
  return {
      Plain<&S::limits, &Limit::header_bytes_max>(kLimits, "header-bytes-max", "BYTES", "a request's header block"),
      Plain<&S::limits, &Limit::header_count_max>(kLimits, "header-count-max", "N", "a request's headers"),
      Plain<&S::limits, &Limit::target_bytes_max>(kLimits, "target-bytes-max", "BYTES", "a request's target"),
      Plain<&S::limits, &Limit::body_bytes_max>(kLimits, "body-bytes-max", "BYTES",
                                                "a request's body, as sent and decompressed"),
      Plain<&S::limits, &Limit::json_bytes_max>(
          kLimits, "json-bytes-max", "BYTES",
          "the JSON of a V2 inference, or the tensor of one without JSON; 0: as large as a body"),
      Plain<&S::limits, &Limit::decompression_ratio_max>(kLimits, "decompression-ratio-max", "N",
                                                         "bytes that one compressed byte may become"),
      Plain<&S::limits, &Limit::body_bytes_in_flight_max>(kLimits, "body-bytes-in-flight-max", "BYTES",
                                                          "all bodies together; 0: a quarter of memory"),
      Plain<&S::limits, &Limit::output_bytes_in_flight_max>(
          kLimits, "output-bytes-in-flight-max", "BYTES", "all answers that are not read yet; 0: a quarter of memory"),
      Plain<&S::limits, &Limit::json_depth_max>(kLimits, "json-depth-max", "N", "nesting of JSON"),
      Plain<&S::limits, &Limit::connections_max>(kLimits, "connections-max", "N", "open connections"),
      Plain<&S::limits, &Limit::connections_per_loop>(
          kLimits, "connections-per-loop", "N",
          "connections that one loop gets before the next is used; 1: spread at once"),
      Plain<&S::limits, &Limit::requests_in_flight_max>(kLimits, "requests-in-flight-max", "N",
                                                        "inference requests of the whole server"),
      Plain<&S::limits, &Limit::queue_size_max>(kLimits, "queue-size-max", "N",
                                                "waiting requests of a model that has no queue policy of its own"),
      Plain<&S::limits, &Limit::http2_streams_max>(kLimits, "http2-streams-max", "N",
                                                   "streams of an HTTP/2 connection"),
      Plain<&S::limits, &Limit::write_high_water>(kLimits, "write-high-water", "BYTES",
                                                  "unread answers of a connection at which its requests are not read"),
      Plain<&S::limits, &Limit::header_timeout>(kLimits, "header-timeout", "TIME", "for a request's headers to arrive"),
      Plain<&S::limits, &Limit::body_timeout>(kLimits, "body-timeout", "TIME",
                                              "for a body, or the reading of an answer, to go on"),
      Plain<&S::limits, &Limit::idle_timeout>(kLimits, "idle-timeout", "TIME", "for the next request of a connection"),
      Plain<&S::limits, &Limit::http_inference_timeout>(
          kLimits, "http-inference-timeout", "TIME", "for an inference over HTTP to be answered, or 504; 0: any time"),
      Plain<&S::limits, &Limit::stream_responses_max>(
          kLimits, "stream-responses-max", "N",
          "responses of a streamed inference that wait for its client; then the model is told to hold"),
      Plain<&S::limits, &Limit::stream_bytes_max>(kLimits, "stream-bytes-max", "BYTES",
                                                  "the same in bytes of their tensors"),
      Plain<&S::limits, &Limit::keep_half_closed>(kLimits, "keep-half-closed", "",
                                                  "answer what is queued of a peer that has closed its side"),
  };
}

std::vector<Option> LazyLoadingRows() {
  return {
      Plain<&S::lazy, &LazyOptions::enabled>(kLazyLoading, "lazy-loading", "",
                                             "models are loaded when a request needs them; a budget turns it on too"),
      Plain<&S::lazy, &LazyOptions::memory_budget>(
          kLazyLoading, "model-memory-budget", "BYTES",
          "loaded models hold no more, by the size of their files or memory_bytes: "
          "the least recently used are unloaded "
          "first; 0: no limit"),
      Plain<&S::lazy, &LazyOptions::gpu_memory_budget>(
          kLazyLoading, "gpu-memory-budget", "BYTES",
          "the same of each GPU, by gpu_memory_bytes or the size of their files; 0: no limit"),
      Plain<&S::lazy, &LazyOptions::versions_max>(kLazyLoading, "loaded-models-max", "N",
                                                  "model versions loaded at a time; 0: no limit"),
      Plain<&S::lazy, &LazyOptions::pinned_models>(kLazyLoading, "pinned-model", "NAME",
                                                   "loaded at the start, and never unloaded for others"),
      Plain<&S::lazy, &LazyOptions::waiters_max>(kLazyLoading, "load-waiters-max", "N",
                                                 "requests that wait for one model to be loaded"),
      Plain<&S::lazy, &LazyOptions::wait_max>(kLazyLoading, "load-wait-max", "TIME", "how long they wait"),
  };
}

std::vector<Option> AllRows() {
  std::vector<Option> all;
  for (auto rows : {PlaceRows, ModelRows, EngineRows, LazyLoadingRows, SchedulingRows, HttpRows, GrpcListenerRows,
                    MetricsRows, GrpcRows, AccessRows, ClientMemoryRows, LifecycleRows, AnswerRows, LimitRows, LogRows,
                    PayloadLogRows, TraceRows}) {
    std::ranges::move(rows(), std::back_inserter(all));
  }
  return all;
}

}  // namespace

std::span<const Option> OptionTable() {
  static const std::vector<Option> table = AllRows();
  return table;
}

const Option* FindOption(std::string_view name) {
  const auto table = OptionTable();
  const auto it = std::ranges::find(table, name, &Option::name);
  return it == table.end() ? nullptr : &*it;
}

}  // namespace inferd::config
