#include "config/personality.h"

namespace inferd::config {
namespace {

constexpr std::string_view kProgramNames[] = {"tritonserver"};

constexpr PersonalityDefault kDefaults[] = {
    {"name", "triton"},        {"model-control-mode", "none"},  {"poll-interval", "15s"},
    {"exit-on-error", "true"}, {"default-max-batch-size", "4"}, {"drain-timeout", "30s"},
};

// Flags that are spelt and mean the same in both need no row.
constexpr PersonalityFlag kFlags[] = {
    {.name = "id", .option = "name", .help = "the server's name in its metadata"},
    {.name = "model-store", .option = "model-repository", .help = "as --model-repository"},
    {.name = "repository-poll-secs",
     .option = "poll-interval",
     .help = "how often the folders are looked at",
     .unit = "s"},
    {.name = "model-load-thread-count", .option = "loader-threads", .help = "models loaded at the same time"},
    {.name = "exit-timeout-secs",
     .option = "drain-timeout",
     .help = "how long requests in flight may take at the end",
     .unit = "s"},
    {.name = "strict-readiness",
     .option = "readiness",
     .help = "ready when every model is; false: as soon as it listens",
     .values = "true=all,false=server,1=all,0=server",
     .boolean = true},
    {.name = "allow-http", .option = "http", .help = "serve HTTP"},
    {.name = "http-thread-count", .option = "loop-threads", .help = "threads for connections"},
    {.name = "http-max-input-size", .option = "body-bytes-max", .help = "bytes of a request's whole body"},
    {.name = "allow-grpc", .option = "grpc", .help = "serve gRPC (no service is there yet)"},
    {.name = "allow-metrics", .option = "metrics", .help = "serve Prometheus metrics"},
    {.name = "log-format",
     .option = "log-format",
     .help = "lines for people, or json",
     .values = "default=human,ISO8601=human"},

    // Accepted where they ask for nothing that is missing here.
    {.name = "reuse-http-port", .values = "false,0", .boolean = true},
    {.name = "reuse-grpc-port", .values = "false,0", .boolean = true},
    {.name = "allow-client-shm", .values = "false,0", .boolean = true},
    {.name = "allow-sagemaker", .values = "false,0", .boolean = true},
    {.name = "allow-vertex-ai", .values = "false,0", .boolean = true},
    {.name = "model-namespacing", .values = "false,0", .boolean = true},
    {.name = "allow-gpu-metrics", .values = "*", .boolean = true},
    {.name = "allow-cpu-metrics", .values = "*", .boolean = true},
    {.name = "enable-peer-access", .values = "*", .boolean = true},
    {.name = "rate-limit", .values = "off"},
    {.name = "model-load-retry-count", .values = "0"},
    {.name = "metrics-interval-ms", .values = "*"},
    {.name = "pinned-memory-pool-byte-size", .values = "*"},
    {.name = "cuda-memory-pool-byte-size", .values = "*"},
    {.name = "min-supported-compute-capability", .values = "*"},
    {.name = "buffer-manager-thread-count", .values = "*"},

    {.name = "model-config-name"},
    {.name = "disable-auto-complete-config", .boolean = true},
    {.name = "strict-model-config", .boolean = true},
    {.name = "http-header-forward-pattern"},
    {.name = "http-restricted-api"},
    {.name = "grpc-header-forward-pattern"},
    {.name = "grpc-infer-thread-count", .values = "*"},
    {.name = "grpc-infer-allocation-pool-size", .values = "*"},
    {.name = "grpc-max-response-pool-size", .values = "*"},
    {.name = "grpc-use-ssl", .values = "false,0", .boolean = true},
    {.name = "grpc-use-ssl-mutual", .values = "false,0", .boolean = true},
    {.name = "grpc-server-cert"},
    {.name = "grpc-server-key"},
    {.name = "grpc-root-cert"},
    {.name = "grpc-infer-response-compression-level", .values = "none"},
    {.name = "grpc-keepalive-time"},
    {.name = "grpc-keepalive-timeout"},
    {.name = "grpc-keepalive-permit-without-calls", .boolean = true},
    {.name = "grpc-http2-max-pings-without-data"},
    {.name = "grpc-http2-min-recv-ping-interval-without-data"},
    {.name = "grpc-http2-max-ping-strikes"},
    {.name = "grpc-max-connection-age"},
    {.name = "grpc-max-connection-age-grace"},
    {.name = "grpc-restricted-protocol"},
    {.name = "sagemaker-port"},
    {.name = "sagemaker-safe-port-range"},
    {.name = "sagemaker-thread-count"},
    {.name = "vertex-ai-port"},
    {.name = "vertex-ai-thread-count"},
    {.name = "vertex-ai-default-model"},
    {.name = "metrics-config"},
    {.name = "trace-config"},
    {.name = "trace-file"},
    {.name = "trace-level"},
    {.name = "trace-rate"},
    {.name = "trace-count"},
    {.name = "trace-log-frequency"},
    {.name = "cache-config"},
    {.name = "cache-directory"},
    {.name = "response-cache-byte-size"},
    {.name = "rate-limit-resource"},
    {.name = "cuda-virtual-address-size"},
    {.name = "host-policy"},
    {.name = "model-load-gpu-limit"},
    {.name = "backend-directory"},
    {.name = "backend-config"},
    {.name = "repoagent-directory"},
};

constexpr Personality kTritonserver = {
    .name = "tritonserver",
    .program_names = kProgramNames,
    .flags = kFlags,
    .defaults = kDefaults,
    //              OK  CANC UNKN INVA DEAD NOTF ALRE PERM RESO FAIL ABOR OUTO UNIM INTE UNAV DATA UNAU
    .http_status = {200, 400, 400, 400, 503, 404, 400, 403, 503, 400, 503, 400, 501, 500, 503, 500, 401},
    .grpc_queue_full = base::StatusCode::kUnavailable,
    .grpc_restriction = {.code = base::StatusCode::kUnavailable,
                         .text = "This protocol is restricted, expecting header ",
                         .header_prefix = "triton-grpc-protocol-"},
    .platform_names = PlatformNames::kTriton,
    .default_batch_limits_requests = true,
    .model_not_ready = "Model version not ready",
};

}  // namespace

const Personality& TritonserverPersonality() { return kTritonserver; }

}  // namespace inferd::config
