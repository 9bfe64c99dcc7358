#include "kserve/clustergateway/cluster_gateway.h"

#include <utility>

#include "kserve/clustergateway/cluster/endpoint_places.h"
#include "kserve/clustergateway/cluster/scale_deployment.h"
#include "kserve/clustergateway/router/health_handler.h"
#include "storage/source/environment.h"

namespace inferd::clustergateway {

namespace {

using kubernetes::ObjectName;
using model::ScaleTime;

constexpr std::chrono::milliseconds kTick{100};
constexpr ScaleTime kMeasureEvery{1'000};
constexpr size_t kStatusConnectionsMax = 256;
constexpr std::string_view kStatusPort = "status";  // of the gateways' own Service
constexpr const char* kLeaseName = "inferd-gateway";

ScaleTime Now() { return std::chrono::duration_cast<ScaleTime>(std::chrono::steady_clock::now().time_since_epoch()); }

kubernetes::SenderOptions SenderOf(double rate, int attempts, std::chrono::milliseconds time_limit) {
  kubernetes::SenderOptions options;
  options.requests_per_second = rate;
  options.burst = static_cast<int>(2 * rate);
  options.retry.attempts = attempts;
  options.time_limit = time_limit;
  options.user_agent = "inferd-gateway";
  return options;
}

net::Limits StatusLimits() {
  net::Limits limits;
  limits.connections_max = kStatusConnectionsMax;
  return limits;
}

}  // namespace

base::Result<std::unique_ptr<ClusterGateway>> ClusterGateway::Start(ClusterGatewayOptions options,
                                                                    base::Logger& logger) {
  INFERD_ASSIGN_OR_RETURN(const kubernetes::ClusterAccess access,
                          kubernetes::FindClusterAccess(options.access, storage::ProcessEnvironment()));
  std::unique_ptr<ClusterGateway> gateway(new ClusterGateway(std::move(options), access, logger));
  INFERD_RETURN_IF_ERROR(gateway->Listen());
  return gateway;
}

ClusterGateway::ClusterGateway(ClusterGatewayOptions options, const kubernetes::ClusterAccess& access,
                               base::Logger& logger)
    : options_(std::move(options)),
      logger_(logger),
      client_(access, SenderOf(50, 3, std::chrono::seconds(10)), clock_),
      lease_client_(access, SenderOf(10, 1, std::chrono::seconds(5)), clock_),
      lease_(lease_client_, {.namespace_name = options_.own_namespace, .name = kLeaseName}),
      election_(lease_,
                {.identity = options_.identity,
                 .lease_time = options_.lease_time,
                 .pause = std::chrono::milliseconds(options_.lease_time) / 8},
                clock_),
      table_([this] { wake_.Wake(); }, logger),
      writer_(ScaleDeployments(client_), logger, registry_),
      peers_(options_.identity, clock_, AskOverHttp()),
      server_(loops_, net::Limits(), &registry_, logger),
      status_server_(status_loops_, StatusLimits(), nullptr, logger) {
  AddMetrics();
}

ClusterGateway::~ClusterGateway() {
  elections_ = {};
  watch_.reset();
  status_server_.Stop();
  server_.Stop();
  status_loops_.Stop();
  loops_.Stop();
}

void ClusterGateway::AddMetrics() {
  registry_.AddCallback(metrics::Registry::CallbackKind::kGauge, "inferd_gateway_leads",
                        "1 where this gateway scales revisions", {}, [this] { return election_.leads() ? 1.0 : 0.0; });
  registry_.AddCallback(metrics::Registry::CallbackKind::kGauge, "inferd_gateway_gateways",
                        "Gateways among which this one shares what pods may have at a time", {},
                        [this] { return static_cast<double>(gateways_.load(std::memory_order_relaxed)); });
}

base::Status ClusterGateway::Listen() {
  net::ListenerOptions status;
  status.name = "status";
  status.address = options_.address;
  status.port = options_.status_port;
  status.handlers = [this](net::Loop&) { return MakeHealthHandler(ready_, MakeStatusHandler(board_, registry_)); };
  INFERD_RETURN_IF_ERROR(status_server_.Bind(std::move(status)));
  net::ListenerOptions http;
  http.name = "http";
  http.address = options_.address;
  http.port = options_.port;
  if (options_.pass_control_calls) gateway_.PassControlCalls();
  http.handlers = gateway_.Handlers();
  INFERD_RETURN_IF_ERROR(server_.Bind(std::move(http)));
  board_.Post(ToJson({.gateway = options_.identity, .revisions = {}}));
  watch_ = std::make_unique<ClusterWatch>(
      client_,
      ClusterWatchOptions{.namespaces = options_.namespaces,
                          .own_namespace = options_.own_namespace,
                          .own_service = options_.own_service},
      [this] { wake_.Wake(); }, logger_);
  elections_ = std::jthread([this](const std::stop_token& stop) {
    election_.Run(stop, [this](bool leads) {
      logger_.Info(leads ? "leads: it scales revisions" : "does not lead any more");
      wake_.Wake();
    });
  });
  status_server_.Accept();
  server_.Accept();
  logger_.Info("listening",
               {{"listener", "status"}, {"address", options_.address}, {"port", status_server_.port("status")}});
  logger_.Info("listening", {{"listener", "http"}, {"address", options_.address}, {"port", server_.port("http")}});
  return base::OkStatus();
}

void ClusterGateway::Follow() {
  const ClusterWatch::Changes changes = watch_->TakeChanges();
  if (changes.config) table_.SetConfig(watch_->config().get());
  for (const ObjectName& name : changes.services) table_.SetService(name, watch_->FindService(name).get());
  for (const ObjectName& name : changes.deployments) table_.SetDeployment(name, watch_->FindDeployment(name).get());
  for (const ObjectName& name : changes.endpoints) {
    table_.SetPlaces(name, ReadyPlaces(watch_->SlicesOf(name), options_.endpoint_address));
  }
  if (changes.gateways) {
    const auto slices = watch_->GatewaySlices();
    peers_.SetAddresses(ReadyAddresses(slices, kStatusPort, options_.endpoint_address));
    const GatewayShare share = ShareOf(ReadyPods(slices), options_.identity);
    table_.SetShare(share);
    gateways_.store(share.gateways, std::memory_order_relaxed);
  }
  if (table_.UpdateRoutes()) gateway_.SetRoutes(std::make_shared<const gateway::RouteTable>(table_.routes()));
  if (!draining_ && watch_->synced()) ready_.store(true, std::memory_order_relaxed);
}

void ClusterGateway::Measure(ScaleTime now) {
  LoadReport report{.gateway = options_.identity, .revisions = {}};
  const int64_t now_ns = clock_.NowNs();
  for (const auto& [name, revision] : table_.revisions()) {
    revision->Measure(now_ns);
    if (!revision->IsIdle()) report.revisions[name] = revision->load();
  }
  board_.Post(ToJson(report));
  Scale(now);
}

void ClusterGateway::Scale(ScaleTime now) {
  // As long as not all objects are listed, a revision may only look idle.
  const bool leads = election_.leads() && watch_->synced();
  peers_.SetWanted(leads);
  if (!leads && std::exchange(led_, false)) {
    for (const auto& [name, revision] : table_.revisions()) revision->ForgetScale();
  }
  if (!leads) return;
  led_ = true;
  const PeerLoads::Sum others = peers_.Latest();
  for (const auto& [name, revision] : table_.revisions()) {
    RevisionLoad all = revision->load();
    if (const auto found = others.revisions.find(name); found != others.revisions.end()) all += found->second;
    const auto pods = revision->WantedPods(now, all, others.complete);
    if (!pods.has_value()) continue;
    // Scaling down must not override another gateway's simultaneous request for a pod, hence the resourceVersion.
    const bool fewer = *pods < revision->live().replicas;
    writer_.Order(name, {.replicas = *pods, .resource_version = fewer ? revision->live().resource_version : ""});
  }
}

void ClusterGateway::Tick() {
  Follow();
  const ScaleTime now = Now();
  for (const auto& [name, revision] : table_.revisions()) {
    if (const auto pods = revision->AsksForPods(now)) {
      writer_.Order(name, {.replicas = *pods, .resource_version = ""});
    }
  }
  if (now - measured_ < kMeasureEvery) return;
  measured_ = now;
  Measure(now);
}

void ClusterGateway::Run(int signals) {
  while (wake_.Await(signals, kTick)) {
    Tick();
  }
  Drain();
}

void ClusterGateway::Drain() {
  logger_.Info("draining");
  draining_ = true;
  ready_.store(false, std::memory_order_relaxed);
  // Releases the Lease, so that another gateway can lead while this one drains.
  elections_ = {};
  const auto tick_until = [this](std::chrono::steady_clock::time_point end, auto&& done) {
    while (!done() && std::chrono::steady_clock::now() < end) Tick();
  };
  server_.AnnounceDrain();
  tick_until(std::chrono::steady_clock::now() + options_.drain_grace, [] {
    std::this_thread::sleep_for(kTick);
    return false;
  });
  server_.RefuseConnections();
  server_.BeginDrain();
  tick_until(std::chrono::steady_clock::now() + options_.drain_timeout,
             [this] { return server_.WaitUntilIdle(kTick); });
}

}  // namespace inferd::clustergateway
