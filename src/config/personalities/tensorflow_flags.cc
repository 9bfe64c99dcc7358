#include "config/personalities/tensorflow_flags.h"

#include "config/personalities/flag_rows.h"

namespace inferd::config {
namespace {

constexpr std::string_view kLoopThreads =
    "requests run on the threads of all connections; --loop-threads says how many";
constexpr std::string_view kNoTensorflowSetting = "models are set by their own configurations";
constexpr std::string_view kInstances = "models have one instance, or as many as their instance_group says";
constexpr std::string_view kNoGpu = "there are no GPUs here";
constexpr std::string_view kOff = "false";

constexpr PersonalityFlag kFlags[] = {
    Combined("port", "the port of gRPC; 0: none", FlagForm::kInteger),
    {.name = "grpc_socket_path", .option = "grpc-unix-socket", .help = "where gRPC listens as well"},
    Combined("rest_api_port", "the port of REST; 0: none", FlagForm::kInteger),
    {.name = "rest_api_enable_cors_support",
     .option = "tfs-cors",
     .help = "CORS headers on REST, for any origin",
     .form = FlagForm::kBoolean},
    Combined("rest_api_timeout_in_ms", "for an inference over REST to be answered, or 504; 0: any time",
             FlagForm::kInteger),
    {.name = "enable_serialization_as_tensor_content",
     .option = "tfs-grpc-tensor-content",
     .help = "outputs of Predict over gRPC as tensor_content",
     .form = FlagForm::kBoolean},
    {.name = "enable_signature_method_name_check",
     .option = "tfs-method-check",
     .help = "Predict, Classify and Regress refuse signatures of other methods",
     .form = FlagForm::kBoolean},
    Combined("grpc_channel_arguments", "NAME=VALUE,... of gRPC: streams, keepalive and age of connections"),
    Combined("ssl_config_file", "an SSLConfig: TLS of gRPC"),
    Combined("monitoring_config_file", "a MonitoringConfig: where REST has the page of metrics"),

    Combined("model_name", "what the model of --model_base_path is called; default: default"),
    Combined("model_base_path", "the folder of one model's versions"),
    Combined("model_config_file", "a ModelServerConfig, in place of --model_name and --model_base_path"),
    {.name = "model_config_file_poll_wait_seconds",
     .option = "model-config-poll-interval",
     .help = "how often that file is read again; 0: never",
     .form = FlagForm::kInteger,
     .unit = "s"},
    Combined("file_system_poll_wait_seconds", "how often folders are looked at; 0: once", FlagForm::kInteger),
    {.name = "allow_version_labels_for_unavailable_models",
     .option = "early-version-labels",
     .help = "a new label may name a version that is not ready",
     .form = FlagForm::kBoolean},
    {.name = "num_load_threads",
     .option = "loader-threads",
     .help = "models loaded at the same time",
     .form = FlagForm::kInteger,
     .values = "0=4"},
    {.name = "max_num_load_retries",
     .option = "load-retries",
     .help = "how often a version that fails to load is tried again",
     .form = FlagForm::kInteger},
    Combined("load_retry_interval_micros", "how long after each time", FlagForm::kInteger),

    {.name = "enable_model_warmup",
     .option = "recorded-warmups",
     .help = "run the requests of assets.extra/tf_serving_warmup_requests before a version serves",
     .form = FlagForm::kBoolean},
    {.name = "num_request_iterations_for_warmup",
     .option = "recorded-warmup-times",
     .help = "how often each of them",
     .form = FlagForm::kInteger},
    Combined("enable_batching", "batch requests", FlagForm::kBoolean),
    Combined("batching_parameters_file", "BatchingParameters: how"),
    Combined("enable_per_model_batching_parameters",
             "those of a version are in its batching_params.pbtxt, and without that file it does not batch",
             FlagForm::kBoolean),

    Combined("platform_config_file",
             "a PlatformConfigMap: what TensorFlow's sessions, batching and warm-ups are, in place of flags"),
    Combined("tensorflow_session_config_file", "a ConfigProto: threads and XLA of TensorFlow's sessions"),
    Combined("tensorflow_session_parallelism", "both of the next two; 0: automatic", FlagForm::kInteger),
    Combined("tensorflow_intra_op_parallelism", "threads inside of TensorFlow's operators; 0: automatic",
             FlagForm::kInteger),
    Combined("tensorflow_inter_op_parallelism", "threads on which operators run side by side; 0: automatic",
             FlagForm::kInteger),
    Combined("saved_model_tags", "of the graph in a SavedModel, separated by commas; default: serve"),

    Idle("rest_api_num_threads", kLoopThreads, FlagForm::kInteger, "*"),
    Idle("grpc_max_threads", kLoopThreads, FlagForm::kInteger, "*"),
    Idle("use_alts_credentials", "there is no ALTS", FlagForm::kBoolean, kOff),
    Idle("enable_grpc_healthcheck_service", "gRPC's health service is always there", FlagForm::kBoolean, "*"),
    Idle("enable_profiler", "there is no profiler service", FlagForm::kBoolean, kOff),
    Idle("num_unload_threads", "versions end on a thread of their own", FlagForm::kInteger, "*"),
    Idle("flush_filesystem_caches", "files are left to the kernel", FlagForm::kBoolean, "*"),
    Idle("thread_pool_factory_config_file", kNoTensorflowSetting, FlagForm::kText),
    Idle("remove_unused_fields_from_bundle_metagraph", "a model holds what it needs", FlagForm::kBoolean, "*"),
    {.name = "prefer_tflite_model",
     .option = "prefer-tflite",
     .help = "serve the model.tflite of a SavedModel's folder, if there is one",
     .form = FlagForm::kBoolean},
    {.name = "use_tflite_model",
     .option = "prefer-tflite",
     .help = "as --prefer_tflite_model",
     .form = FlagForm::kBoolean},
    Idle("num_tflite_pools", kInstances, FlagForm::kInteger, "*"),
    Idle("num_tflite_interpreters_per_pool", kInstances, FlagForm::kInteger, "*"),
    Idle("xla_cpu_compilation_enabled", "XLA is always there for models that use it", FlagForm::kBoolean, "*"),
    Idle("xla_gpu_compilation_enabled", kNoGpu, FlagForm::kBoolean, kOff),
    Idle("per_process_gpu_memory_fraction", kNoGpu, FlagForm::kNumber, "*"),
    Idle("mixed_precision", kNoGpu, FlagForm::kText),
    Idle("skip_initialize_tpu", "there are no TPUs here", FlagForm::kBoolean, "*"),
};

}  // namespace

std::span<const PersonalityFlag> TensorflowFlags() { return kFlags; }

}  // namespace inferd::config
