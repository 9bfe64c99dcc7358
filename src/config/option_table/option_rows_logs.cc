#include <limits>

#include "config/option_table/option_field.h"
#include "config/option_table/option_rows.h"

namespace inferd::config {
namespace {

using S = ServerOptions;

constexpr std::string_view kLogs = "Logs";
constexpr std::string_view kPayloadLog = "Payload log";
constexpr std::string_view kTraces = "Traces";
constexpr std::string_view kLogFormats = "human|json|triton|triton-iso8601";
constexpr std::string_view kPayloadLogModes = "all|request|response";
constexpr std::string_view kTraceModes = "file|otlp";
constexpr std::string_view kTraceLevels = "off|timestamps|tensors|all";

base::Status SetTraceCount(ServerOptions& options, std::string_view text) {
  INFERD_ASSIGN_OR_RETURN(options.trace.count, ParseInteger(text, -1, std::numeric_limits<uint32_t>::max()));
  return {};
}

// Parses KEY=VALUE.
base::Status AddTraceResource(ServerOptions& options, std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return base::InvalidArgument("expected KEY=VALUE, got '" + std::string(text) + "'");
  }
  options.trace.otlp_resource.emplace_back(text);
  return {};
}

}  // namespace

std::vector<Option> LogRows() {
  return {
      Choice<kLogFormats, &S::log, &LogOptions::format>(kLogs, "log-format",
                                                        "lines for people, JSON, or as tritonserver's"),
      Plain<&S::log, &LogOptions::file>(kLogs, "log-file", "FILE", "default: standard error"),
      Plain<&S::log, &LogOptions::verbose_level>(kLogs, "log-verbose", "N", "0: no verbose lines"),
      Plain<&S::log, &LogOptions::info>(kLogs, "log-info", "", "lines about what goes on"),
      Plain<&S::log, &LogOptions::warning>(kLogs, "log-warning", "", "warnings"),
      Plain<&S::log, &LogOptions::error>(kLogs, "log-error", "", "errors"),
      Plain<&S::log, &LogOptions::access>(kLogs, "access-log", "", "one line per request"),
      Plain<&S::log, &LogOptions::request_file_bytes_max>(
          kLogs, "request-log-file-bytes-max", "BYTES",
          "of a file of requests that a model's logging_config has written: then the next begins; 0: never"),
      Plain<&S::log, &LogOptions::request_files_max>(
          kLogs, "request-log-files-max", "N",
          "files that are kept of those with the same filename_prefix; the oldest are removed; 0: all stay"),
  };
}

std::vector<Option> PayloadLogRows() {
  using Payloads = PayloadLogOptions;
  return {
      Plain<&S::payload_log, &Payloads::url>(
          kPayloadLog, "payload-log-url", "URL",
          "where the bodies of inference requests and their responses go, as CloudEvents; default: nowhere"),
      Choice<kPayloadLogModes, &S::payload_log, &Payloads::mode>(kPayloadLog, "payload-log-mode", "which of them"),
      Plain<&S::payload_log, &Payloads::source>(kPayloadLog, "payload-log-source", "URI", "the events' source"),
      Plain<&S::payload_log, &Payloads::inference_service>(kPayloadLog, "payload-log-inference-service", "NAME",
                                                           "in the events, as the next three"),
      Plain<&S::payload_log, &Payloads::namespace_name>(kPayloadLog, "payload-log-namespace", "NAME",
                                                        "of the InferenceService"),
      Plain<&S::payload_log, &Payloads::component>(kPayloadLog, "payload-log-component", "NAME", "such as predictor"),
      Plain<&S::payload_log, &Payloads::endpoint>(kPayloadLog, "payload-log-endpoint", "NAME", "such as default"),
      Plain<&S::payload_log, &Payloads::workers>(kPayloadLog, "payload-log-workers", "N", "threads that send them"),
      Plain<&S::payload_log, &Payloads::queue_max>(kPayloadLog, "payload-log-queue-max", "N",
                                                   "bodies that wait; more are dropped, and counted"),
      Plain<&S::payload_log, &Payloads::bytes_max>(kPayloadLog, "payload-log-bytes-max", "BYTES", "the same in bytes"),
  };
}

std::vector<Option> TraceRows() {
  using Trace = TraceOptions;
  return {
      Choice<kTraceModes, &S::trace, &Trace::mode>(
          kTraces, "trace-mode",
          "where traces of requests go: to a file in Triton's form, or to an OpenTelemetry collector"),
      Choice<kTraceLevels, &S::trace, &Trace::level>(kTraces, "trace-level", "what is written down of a request"),
      Plain<&S::trace, &Trace::rate>(kTraces, "trace-rate", "N",
                                     "one of so many requests is traced; 0: those with a traceparent, for a collector"),
      {.group = kTraces,
       .name = "trace-count",
       .value_name = "N",
       .help = "so many are traced in all; -1: without limit",
       .set = SetTraceCount,
       .print = [](ServerOptions& options) { return std::to_string(options.trace.count); }},
      Plain<&S::trace, &Trace::file>(kTraces, "trace-file", "FILE", "begun anew at the start"),
      Plain<&S::trace, &Trace::log_frequency>(kTraces, "trace-log-frequency", "N",
                                              "traces in FILE.0, and as many in FILE.1 ...; 0: all in FILE"),
      Plain<&S::trace, &Trace::otlp_url>(kTraces, "trace-otlp-url", "URL", "of the collector's traces, OTLP over HTTP"),
      {.group = kTraces,
       .name = "trace-otlp-resource",
       .value_name = "KEY=VALUE",
       .help = "an attribute of the server, such as service.name",
       .repeated = true,
       .set = AddTraceResource,
       .print = PrintNothing},
      Plain<&S::trace, &Trace::otlp_queue_max>(kTraces, "trace-otlp-queue-max", "N",
                                               "traces that wait for the collector; more are dropped"),
      Plain<&S::trace, &Trace::otlp_delay>(kTraces, "trace-otlp-delay", "TIME", "between two exports"),
      Plain<&S::trace, &Trace::otlp_batch_max>(kTraces, "trace-otlp-batch-max", "N", "traces of an export"),
  };
}

}  // namespace inferd::config
