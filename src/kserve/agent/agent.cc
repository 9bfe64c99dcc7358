#include "kserve/agent/agent.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "kserve/agent/batcher/batching_handler.h"
#include "kserve/agent/metrics_handler.h"
#include "kserve/agent/ready/probe_handler.h"
#include "net/event_loop.h"
#include "net/payloadlog/http_sink.h"
#include "net/payloadlog/logged_handler.h"

namespace inferd::agent {

namespace {

constexpr std::chrono::milliseconds kSinkTimeout{5'000};

// gRPC methods with one message in each direction. Streams may last for any time.
constexpr std::array<std::string_view, 5> kUnaryMethods = {"ModelInfer", "Predict", "Classify", "Regress",
                                                           "MultiInference"};

// True for requests with data for the model. False for probes and status requests.
bool CarriesPayload(const net::RequestHead& head) {
  if (head.method != net::Method::kPost || IsProbe(head)) return false;
  if (!head.Find("Content-Type").value_or("").starts_with("application/grpc")) return true;
  return !head.segments.empty() && std::ranges::find(kUnaryMethods, head.segments.back()) != kUnaryMethods.end();
}

payloadlog::EventOrigin OriginOf(const LoggerOptions& options) {
  return {.source = options.source.empty() ? LoggerOptions().source : options.source,
          .inference_service = options.inference_service,
          .namespace_name = options.namespace_name,
          .component = options.component,
          .endpoint = options.endpoint};
}

base::Result<std::unique_ptr<payloadlog::PayloadLog>> MakeLog(const LoggerOptions& options, metrics::Registry& registry,
                                                              base::Logger& logger) {
  if (options.url.empty()) return nullptr;
  const auto make = [&options] { return payloadlog::HttpSink::Create(options.url, OriginOf(options), kSinkTimeout); };
  if (const auto tried = make(); !tried.has_value()) return std::unexpected(tried.error().WithContext("--log-url"));
  payloadlog::PayloadLogOptions log;
  log.mode = options.mode;
  log.workers = options.workers;
  log.payloads_max = options.payloads_max;
  log.bytes_max = options.bytes_max;
  return std::make_unique<payloadlog::PayloadLog>(log, [&make] { return *make(); }, registry, logger);
}

}  // namespace

base::Result<std::unique_ptr<Agent>> Agent::Start(AgentOptions options, base::Logger& logger,
                                                  const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(const auto component, net::upstream::Address::Parse(options.component.address()));
  auto probe = ParseReadinessProbe(options.readiness_probe, component);
  if (!probe.has_value()) return std::unexpected(probe.error().WithContext("SERVING_READINESS_PROBE"));
  std::unique_ptr<Agent> agent(new Agent(std::move(options), component, *std::move(probe), logger));
  INFERD_ASSIGN_OR_RETURN(agent->log_, MakeLog(agent->options_.logger, agent->registry_, logger));
  if (agent->options_.puller.has_value()) {
    agent->puller_ = std::make_unique<Puller>(*agent->options_.puller, agent->registry_, logger);
    logger.Info("models come before requests are accepted");
    if (!agent->puller_->AwaitFirstModels(stop)) return std::unexpected(base::Cancelled("stopped while models came"));
  }
  INFERD_RETURN_IF_ERROR(agent->Listen());
  return agent;
}

Agent::Agent(AgentOptions options, net::upstream::Address component, ReadinessProbe probe, base::Logger& logger)
    : options_(std::move(options)),
      component_(std::move(component)),
      probe_(std::move(probe)),
      logger_(logger),
      // A single loop, because requests can only be batched on the same loop.
      loops_(options_.batcher.has_value() ? 1 : 0),
      server_(loops_, net::Limits(), &registry_, logger) {
  if (options_.pass_control_calls) gateway_.PassControlCalls();
  RouteToComponent();
}

Agent::~Agent() {
  server_.Stop();
  loops_.Stop();
}

void Agent::RouteToComponent() {
  auto backend = std::make_shared<gateway::Backend>("component", gateway::BackendOptions());
  backend->SetReplicas({component_});
  gateway::Route route;
  route.destinations.push_back({.backend = std::move(backend)});
  route.timeout = options_.timeout;
  route.wait_timeout = options_.timeout;
  auto table = std::make_shared<gateway::RouteTable>();
  table->Add("*", std::move(route));
  gateway_.SetRoutes(std::move(table));
}

net::HandlerFactory Agent::Handlers() {
  return [this, make = gateway_.Handlers()](net::Loop& loop) mutable {
    auto& event_loop = static_cast<net::EventLoop&>(loop);
    std::unique_ptr<net::HttpHandler> handler = make(loop);
    if (options_.batcher.has_value()) {
      handler = MakeBatchingHandler(*options_.batcher, component_, event_loop, std::move(handler));
    }
    if (log_ != nullptr) {
      handler = payloadlog::MakeLoggedHandler(*log_, CarriesPayload, event_loop.replies(), std::move(handler));
    }
    return MakeProbeHandler(probe_, draining_, event_loop, std::move(handler));
  };
}

base::Status Agent::Listen() {
  net::ListenerOptions http;
  http.name = "http";
  http.address = options_.address;
  http.port = options_.port;
  http.handlers = Handlers();
  INFERD_RETURN_IF_ERROR(server_.Bind(std::move(http)));
  if (options_.metrics_port != 0) {
    net::ListenerOptions metrics;
    metrics.name = "metrics";
    metrics.address = options_.address;
    metrics.port = options_.metrics_port;
    metrics.handlers = [this](net::Loop&) { return MakeMetricsHandler(registry_); };
    metrics.apart = true;
    INFERD_RETURN_IF_ERROR(server_.Bind(std::move(metrics)));
  }
  server_.Accept();
  logger_.Info("listening", {{"listener", "http"}, {"address", options_.address}, {"port", port("http")}});
  return base::OkStatus();
}

void Agent::Drain() {
  logger_.Info("draining");
  draining_.store(true, std::memory_order_relaxed);
  server_.Drain(options_.drain_grace, options_.drain_timeout);
}

}  // namespace inferd::agent
