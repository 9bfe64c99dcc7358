#include "kserve/agent/command_line.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <map>
#include <utility>

#include "base/version/version.h"

namespace inferd::agent {

namespace {

constexpr const char* kFooter = R"(Example:
  inferd-agent --component-port 8080 --log-url http://collector:8000/ --inference-service iris
  inferd-agent --enable-batcher -- python3 server.py --http_port 8080

SERVING_READINESS_PROBE is a probe of Kubernetes as JSON, by which the component is asked when a request with the header
"K-Network-Probe: queue" asks the agent. REVISION_TIMEOUT_SECONDS: for the component to begin its answer.)";

void AddLogger(CLI::App& app, LoggerOptions& logger) {
  using payloadlog::LogMode;
  app.add_option("--log-url", logger.url, "Where payloads go, as CloudEvents; nothing is logged without it");
  static const std::map<std::string, LogMode> kModes = {
      {"all", LogMode::kAll}, {"request", LogMode::kRequest}, {"response", LogMode::kResponse}};
  app.add_option_function<std::string>(
         "--log-mode", [&logger](const std::string& mode) { logger.mode = kModes.at(mode); }, "Which payloads go there")
      ->check(CLI::IsMember({"all", "request", "response"}))
      ->default_str("all");
  app.add_option("--workers", logger.workers, "Threads that send them")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--source-uri", logger.source, "The events' source")->capture_default_str();
  app.add_option("--inference-service", logger.inference_service, "In the events");
  app.add_option("--namespace", logger.namespace_name, "In the events");
  app.add_option("--endpoint", logger.endpoint, "In the events");
  app.add_option("--component", logger.component, "In the events");
  app.add_option("--log-queue-max", logger.payloads_max, "Payloads that wait; more are dropped, and counted")
      ->capture_default_str();
  app.add_option("--log-bytes-max", logger.bytes_max, "The same in bytes")->capture_default_str();
}

void AddPuller(CLI::App& app, bool& enabled, PullerOptions& puller) {
  app.add_flag("--enable-puller", enabled, "Bring the models of a list, and have them loaded");
  app.add_option("--config-dir", puller.config_folder, "Where models.json is")->capture_default_str();
  app.add_option("--model-dir", puller.model_folder, "Where models come")->capture_default_str();
}

struct BatcherFlags {
  bool enabled = false;
  int64_t size = static_cast<int64_t>(BatchOptions().instances_max);
  int64_t latency_ms = BatchOptions().latency_max.count();
};

void AddBatcher(CLI::App& app, BatcherFlags& flags) {
  app.add_flag("--enable-batcher", flags.enabled, "Put requests of V1's :predict and of V2's infer in JSON together");
  app.add_option("--max-batchsize", flags.size, "Instances of a batch")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--max-latency", flags.latency_ms, "Milliseconds that a request waits for others")
      ->check(CLI::Range(0, 3'600'000))
      ->capture_default_str();
}

// Parses the variable's seconds. Returns false if it is set, but is no number in range.
bool ReadSeconds(const std::string& text, std::chrono::seconds& seconds) {
  if (text.empty()) return true;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > 24 * 3600) return false;
  if (value > 0) seconds = std::chrono::seconds(value);
  return true;
}

int Fault(const std::string& text) {
  std::cerr << "inferd-agent: " << text << "\n";
  return kExitUsage;
}

}  // namespace

std::optional<std::chrono::milliseconds> ParseGoDuration(std::string_view text) {
  static const std::map<std::string_view, double> kUnits = {{"ns", 1e-6}, {"us", 1e-3}, {"ms", 1},
                                                            {"s", 1e3},   {"m", 60e3},  {"h", 3600e3}};
  constexpr double kMax = 24 * 3600e3;
  if (text == "0") return std::chrono::milliseconds(0);
  double total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc() || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    const std::string_view unit = text.substr(0, std::min(text.find_first_of("0123456789."), text.size()));
    const auto found = kUnits.find(unit);
    if (found == kUnits.end()) return std::nullopt;
    text.remove_prefix(unit.size());
    total += value * found->second;
    if (!(total <= kMax)) return std::nullopt;
  }
  return std::chrono::milliseconds(static_cast<int64_t>(total));
}

ParsedCommandLine ParseCommandLine(int argc, const char* const* argv,
                                   const std::function<std::string(const char*)>& environment) {
  ParsedCommandLine parsed;
  AgentOptions& options = parsed.options;
  CLI::App app("Stands in front of a model server and logs what passes, with the flags of KServe's agent");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string(base::BuildVersion()));
  app.add_option("--address", options.address, "Where the agent listens")->capture_default_str();
  app.add_option("--port", options.port, "Where the agent listens")->capture_default_str();
  CLI::Option* port =
      app.add_option("--component-port", options.component.port, "Where the model server listens, on this machine")
          ->check(CLI::Range(1, 65535))
          ->capture_default_str();
  app.add_option("--component-socket", options.component.unix_socket,
                 "The path of a Unix socket where it takes HTTP, in place of the port")
      ->excludes(port);
  std::string control_socket;
  app.add_option(
      "--control-socket", control_socket,
      "The path of a Unix socket where it takes the calls that load and unload models, where that is another "
      "place than that of requests");
  app.add_option("--metrics-port", options.metrics_port, "Of GET /metrics, which are the agent's own; 0: none")
      ->capture_default_str();
  app.add_option("COMMAND", options.command,
                 "The model server's program and its arguments, behind --: the agent starts it, and ends with it");
  app.add_flag(
      "--pass-control-calls", options.pass_control_calls,
      "Clients may control the model server's repository, logging, traces and shared memory through the agent");
  AddLogger(app, options.logger);
  bool pulls = false;
  PullerOptions puller;
  AddPuller(app, pulls, puller);
  BatcherFlags batcher;
  AddBatcher(app, batcher);
  int64_t grace_ms = options.drain_grace.count();
  app.add_option("--drain-grace-ms", grace_ms, "After SIGTERM: not ready, but still accepting")
      ->check(CLI::Range(0, 3'600'000))
      ->capture_default_str();
  std::string probe_period;
  app.add_option("--probe-period", probe_period,
                 "Ask the agent that runs here for so long until it is ready, and exit");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    parsed.exit_status = app.exit(error) == 0 ? 0 : kExitUsage;
    return parsed;
  }
  options.drain_grace = std::chrono::milliseconds(grace_ms);
  options.readiness_probe = environment("SERVING_READINESS_PROBE");
  if (!ReadSeconds(environment("REVISION_TIMEOUT_SECONDS"), options.timeout)) {
    parsed.exit_status = Fault("REVISION_TIMEOUT_SECONDS: expected 0 to 86400 seconds");
  }
  puller.component = options.component;
  if (!control_socket.empty()) puller.component.unix_socket = std::move(control_socket);
  if (pulls) options.puller = std::move(puller);
  if (batcher.enabled) {
    options.batcher = BatchOptions{.instances_max = static_cast<size_t>(batcher.size),
                                   .latency_max = std::chrono::milliseconds(batcher.latency_ms),
                                   .timeout = options.timeout};
  }
  // A negative period disables it.
  if (!probe_period.empty() && !probe_period.starts_with('-')) {
    parsed.probe_period = ParseGoDuration(probe_period);
    if (!parsed.probe_period.has_value()) {
      parsed.exit_status = Fault("--probe-period: expected a time such as 10s, got '" + probe_period + "'");
    }
  }
  return parsed;
}

}  // namespace inferd::agent
