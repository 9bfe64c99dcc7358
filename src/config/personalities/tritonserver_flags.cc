#include "config/personalities/tritonserver_flags.h"

#include "config/personalities/flag_rows.h"

namespace inferd::config {
namespace {

constexpr std::string_view kNoGpu = "there are no GPUs here";
constexpr std::string_view kNoSageMaker = "there is no SageMaker endpoint";
constexpr std::string_view kNoVertexAi = "there is no Vertex AI endpoint";
constexpr std::string_view kOneListener = "a port is listened on once, whatever the number of threads";
constexpr std::string_view kLoopThreads = "gRPC runs on the threads of all connections";
constexpr std::string_view kOff = "false";

constexpr PersonalityFlag Boolean(std::string_view name, std::string_view option, std::string_view help) {
  return {.name = name, .option = option, .help = help, .form = FlagForm::kBoolean};
}

constexpr PersonalityFlag Milliseconds(std::string_view name, std::string_view help) {
  return {.name = name, .option = name, .help = help, .form = FlagForm::kInteger, .unit = "ms"};
}

// Flags with the same spelling and meaning in both need no row.
constexpr PersonalityFlag kFlags[] = {
    {.name = "id", .option = "name", .help = "the server's name in its metadata"},
    {.name = "exit-timeout-secs",
     .option = "drain-timeout",
     .help = "how long requests in flight may take at the end",
     .unit = "s"},
    Boolean("exit-on-error", "exit-on-error", "end if a model fails to load at the start"),
    {.name = "strict-readiness",
     .option = "readiness",
     .help = "ready when every model is; false: as soon as it listens",
     .form = FlagForm::kBoolean,
     .values = "true=all,false=server"},

    {.name = "model-store", .option = "model-repository", .help = "as --model-repository"},
    {.name = "repository-poll-secs",
     .option = "poll-interval",
     .help = "how often the folders are looked at; 0: once",
     .form = FlagForm::kInteger,
     .combined = true},
    {.name = "model-load-thread-count", .option = "loader-threads", .help = "models loaded at the same time"},
    Combined("backend-config", "default-max-batch-size=N; other settings have no effect", FlagForm::kSetting),
    {.name = "model-load-retry-count", .option = "load-retries", .help = "how often a load that failed is repeated"},
    Idle("model-namespacing", "a model's name is served from one repository", FlagForm::kBoolean, kOff),
    Combined("disable-auto-complete-config", "configurations must be complete", FlagForm::kBoolean),
    Combined("strict-model-config", "as --disable-auto-complete-config", FlagForm::kBoolean),

    Boolean("allow-http", "http", "serve HTTP"),
    Idle("reuse-http-port", kOneListener, FlagForm::kBoolean, kOff),
    {.name = "http-thread-count", .option = "loop-threads", .help = "threads for connections"},
    {.name = "http-max-input-size",
     .option = "json-bytes-max",
     .help = "bytes of a request's JSON, or of a raw request"},

    Boolean("allow-grpc", "grpc", "serve gRPC"),
    Idle("reuse-grpc-port", kOneListener, FlagForm::kBoolean, kOff),
    Idle("grpc-infer-thread-count", kLoopThreads, FlagForm::kInteger, "*"),
    Idle("grpc-infer-allocation-pool-size", "memory of calls is not kept in a pool", FlagForm::kInteger, "*"),
    Idle("grpc-max-response-pool-size", "memory of calls is not kept in a pool", FlagForm::kInteger, "*"),
    Combined("grpc-use-ssl", "TLS for gRPC", FlagForm::kBoolean),
    Combined("grpc-use-ssl-mutual", "TLS for gRPC that demands clients' certificates", FlagForm::kBoolean),
    Combined("grpc-server-cert", "PEM chain of TLS for gRPC"),
    Combined("grpc-server-key", "PEM private key of TLS for gRPC"),
    Combined("grpc-root-cert", "who signs clients' certificates"),
    {.name = "grpc-infer-response-compression-level",
     .option = "grpc-response-compression-level",
     .help = "of responses"},
    Milliseconds("grpc-keepalive-time", "silence in ms after which a client is pinged"),
    Milliseconds("grpc-keepalive-timeout", "ms for its answer; then it is closed"),
    Boolean("grpc-keepalive-permit-without-calls", "grpc-keepalive-permit-without-calls",
            "ping connections without calls too, and let clients ping so"),
    Milliseconds("grpc-http2-min-recv-ping-interval-without-data",
                 "a client's pings without data must be so many ms apart"),
    Milliseconds("grpc-max-connection-age", "ms until clients are told to connect anew"),
    Milliseconds("grpc-max-connection-age-grace", "then: ms that calls in flight may take"),

    Boolean("log-info", "log-info", "lines about what goes on"),
    Boolean("log-warning", "log-warning", "warnings"),
    Boolean("log-error", "log-error", "errors"),
    {.name = "log-verbose", .option = "log-verbose", .help = "0: no verbose lines", .values = "true=1,false=0"},
    {.name = "log-format",
     .option = "log-format",
     .help = "default, ISO8601, or one of ours",
     .values = "default=triton,ISO8601=triton-iso8601"},

    Idle("allow-sagemaker", kNoSageMaker, FlagForm::kBoolean, kOff),
    Idle("sagemaker-port", kNoSageMaker, FlagForm::kInteger, "*"),
    Idle("sagemaker-safe-port-range", kNoSageMaker, FlagForm::kText, "*"),
    Idle("sagemaker-thread-count", kNoSageMaker, FlagForm::kInteger, "*"),
    Idle("allow-vertex-ai", kNoVertexAi, FlagForm::kBoolean, kOff),
    Idle("vertex-ai-port", kNoVertexAi, FlagForm::kInteger, "*"),
    Idle("vertex-ai-thread-count", kNoVertexAi, FlagForm::kInteger, "*"),
    Idle("vertex-ai-default-model", kNoVertexAi, FlagForm::kText, "*"),

    Boolean("allow-metrics", "metrics", "serve Prometheus metrics"),
    Boolean("allow-gpu-metrics", "gpu-metrics", "the metrics nv_gpu_*"),
    Idle("allow-cpu-metrics", "metrics of cores and memory are always there", FlagForm::kBoolean, "*"),
    {.name = "metrics-interval-ms",
     .option = "gpu-metrics-interval",
     .help = "how often metrics of GPUs are read; others are read when they are asked for",
     .form = FlagForm::kInteger,
     .unit = "ms"},
    Combined("metrics-config", "counter_latencies, summary_latencies and summary_quantiles", FlagForm::kSetting),

    Combined("trace-config", "level, rate, count, mode, triton,file, opentelemetry,url and their like",
             FlagForm::kSetting),
    Combined("trace-file", "triton,file of --trace-config"),
    Combined("trace-level", "level of --trace-config"),
    Combined("trace-rate", "rate of --trace-config", FlagForm::kInteger),
    Combined("trace-count", "count of --trace-config", FlagForm::kInteger),
    Combined("trace-log-frequency", "triton,log-frequency of --trace-config", FlagForm::kInteger),

    Idle("cache-directory", "the caches are part of the server", FlagForm::kText, "*"),
    Combined("response-cache-byte-size", "as --cache-config=local,size=N; 0: no cache", FlagForm::kInteger),

    Boolean("allow-client-shm", "client-shared-memory", "clients may register regions of shared memory"),
    Idle("backend-directory", "engines are where --engine-directory says", FlagForm::kText),
    Idle("repoagent-directory", "the agent checksum is part of the server, others are refused", FlagForm::kText),
    Idle("enable-peer-access", kNoGpu, FlagForm::kBoolean, "*"),
    Idle("cuda-memory-pool-byte-size", kNoGpu, FlagForm::kText, "*"),
    Idle("cuda-virtual-address-size", kNoGpu, FlagForm::kText, "*"),
    Idle("min-supported-compute-capability", kNoGpu, FlagForm::kNumber, "*"),
    Idle("buffer-manager-thread-count", kNoGpu, FlagForm::kInteger, "*"),
    Idle("model-load-gpu-limit", kNoGpu, FlagForm::kText, "*"),
};

}  // namespace

std::span<const PersonalityFlag> TritonserverFlags() { return kFlags; }

}  // namespace inferd::config
