#include "kserve/cluster/cluster_controller.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <utility>

#include "base/system/end_signals.h"
#include "base/text/uuid.h"
#include "kserve/cluster/cluster_access.h"
#include "kserve/cluster/run_diff.h"
#include "kserve/cluster/status_handlers.h"
#include "storage/transfer/backoff.h"

namespace inferd::cluster {

namespace {

constexpr int kExitFailed = 1;
constexpr size_t kReconcilers = 4;
constexpr size_t kGraphReconcilers = 2;
constexpr const char* kLease = "inferd-controller";
constexpr const char* kWebhookSecret = "inferd-controller-webhooks";
constexpr std::chrono::milliseconds kDiscoverAgain{1'000};
constexpr std::chrono::milliseconds kSyncedEvery{50};
constexpr std::chrono::milliseconds kTendEvery{1'000};

// The leader election retries by itself.
kubernetes::SenderOptions SendingForLease() {
  kubernetes::SenderOptions options = SendingOptions();
  options.retry.attempts = 1;
  options.time_limit = std::chrono::milliseconds(5'000);
  return options;
}

std::string IdentityOf() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + "_" + base::NewUuid();
}

}  // namespace

base::Result<std::unique_ptr<ClusterController>> ClusterController::Create(ClusterOptions options,
                                                                           base::Logger& logger) {
  INFERD_ASSIGN_OR_RETURN(kubernetes::ClusterAccess access, FindAccess(options));
  options.controller_namespace = ControllerNamespace(options);
  return std::unique_ptr<ClusterController>(new ClusterController(std::move(options), std::move(access), logger));
}

ClusterController::ClusterController(ClusterOptions options, kubernetes::ClusterAccess access, base::Logger& logger)
    : options_(std::move(options)),
      logger_(logger),
      client_(access, SendingOptions(), clock_),
      lease_client_(access, SendingForLease(), clock_),
      review_client_(std::move(access), SendingOptions(), clock_),
      lease_(lease_client_, {options_.controller_namespace, kLease}),
      election_(lease_, {.identity = IdentityOf()}, clock_),
      queue_({}, clock_),
      graph_queue_({}, clock_),
      graph_view_(
          client_, options_.namespaces, [this](const kubernetes::ObjectName& name) { graph_queue_.Add(name); },
          logger_),
      view_(client_, clock_,
            {.namespaces = options_.namespaces,
             .controller_namespace = options_.controller_namespace,
             .more_evidence = [this](const auto&... what) { return graph_view_.EvidenceOf(what...); }},
            {.on_service =
                 [this](const kubernetes::ObjectName& name) {
                   queue_.Add(name);
                   graph_view_.OnService(name);
                 },
             .on_all = [this] { graph_view_.QueueAll(); }},
            logger_),
      writer_(
          client_, [this] { return leads(); }, metrics_),
      statuses_(client_, clock_, metrics_),
      doubts_(statuses_, metrics_, {options_.controller_namespace, kLease}, [this] { return leads(); }),
      reporter_(statuses_),
      models_(statuses_),
      pod_objects_(client_, clock_),
      guard_({.kind = InferenceServices().kind,
              .limits = options_.pace,
              .count_owners = [this] { return view_.Services().size(); }},
             client_, clock_, metrics_, logger_),
      graph_guard_({.kind = InferenceGraphs().kind,
                    .limits = options_.pace,
                    .count_owners = [this] { return graph_view_.Graphs().size(); }},
                   client_, clock_, metrics_, logger_),
      services_(
          view_, pod_objects_, guard_, writer_, reporter_, models_, client_,
          [this] { return webhooks_.has_value() && webhooks_->mutates_pods(); }, logger_),
      graphs_(graph_view_, view_, graph_guard_, writer_, statuses_, logger_),
      leading_(metrics_.AddGauge("inferd_controller_leader", "Whether this process is the one that writes", {})),
      loops_(1),
      server_(loops_, net::Limits(), &metrics_, logger_) {
  SetPaused(true);
}

ClusterController::~ClusterController() {
  watching_ = {};
  SetPaused(true);
  loop_.reset();
  graph_loop_.reset();
  // The lease must be released last, when nothing is written any more.
  electing_ = {};
  server_.Stop();
  webhooks_.reset();
  loops_.Stop();
}

bool ClusterController::is_ready() const { return working_.load() && (!webhooks_.has_value() || webhooks_->ready()); }

void ClusterController::SetPaused(bool paused) {
  queue_.SetPaused(paused);
  graph_queue_.SetPaused(paused);
}

bool ClusterController::leads() const { return !options_.leader_elect || election_.leads(); }

base::Status ClusterController::Listen(const char* name, uint16_t port, net::HandlerFactory handlers) {
  if (port == 0) return base::OkStatus();
  net::ListenerOptions listener;
  listener.name = name;
  listener.port = port;
  listener.handlers = std::move(handlers);
  INFERD_RETURN_IF_ERROR(server_.Listen(std::move(listener)));
  logger_.Info("listening", {{"listener", name}, {"port", server_.port(name)}});
  return base::OkStatus();
}

base::Status ClusterController::Start() {
  INFERD_RETURN_IF_ERROR(Listen("health", options_.health_port, [this](net::Loop&) {
                           return MakeHealthHandler([this] { return is_ready(); });
                         }).WithContext("--health-port"));
  return Listen("metrics", options_.metrics_port, [this](net::Loop&) { return MakeMetricsHandler(metrics_); })
      .WithContext("--metrics-port");
}

void ClusterController::Watch(const std::stop_token& stop) {
  int64_t look_ns = clock_.NowNs();
  while (!stop.stop_requested()) {
    if (clock_.NowNs() >= look_ns) {
      Look(stop);
      const std::chrono::nanoseconds pause = working_.load() ? options_.discover_every : kDiscoverAgain;
      look_ns = clock_.NowNs() + pause.count();
    }
    if (stop.stop_requested()) return;
    const SyncReport report = Synced();
    const bool waits = !working_.load() && !CanBegin(report);
    if (!waits) Follow(report, stop);
    doubts_.Tell(Doubts(report), stop);
    if (working_.load() && leads()) view_.SaveConfiguration(stop);
    storage::PauseFor(waits ? kSyncedEvery : kTendEvery, stop);
  }
}

std::vector<Doubt> ClusterController::Doubts(const SyncReport& report) {
  std::vector<Doubt> doubts = view_.doubts();
  graph_view_.AddDoubts(doubts);
  if (webhooks_.has_value()) webhooks_->AddDoubts(doubts);
  for (const auto& [name, why] : report.unreadable) {
    doubts.push_back({.about = "Namespace " + name, .text = why + "; what is there is left as it is"});
  }
  std::string trouble = election_.trouble();
  if (trouble != lease_trouble_ && !trouble.empty()) {
    logger_.Warning("the Lease cannot be read or renewed", {{"lease", kLease}, {"why", trouble}});
  }
  lease_trouble_ = std::move(trouble);
  if (!lease_trouble_.empty()) {
    doubts.push_back({.about = "Lease " + options_.controller_namespace + "/" + kLease,
                      .text = "it cannot be read or renewed: " + lease_trouble_ +
                              "; nothing is written unless another controller leads"});
  }
  return doubts;
}

void ClusterController::Look(const std::stop_token& stop) {
  view_.Discover(stop);
  if (!stop.stop_requested()) graph_view_.Follow(view_);
}

SyncReport ClusterController::Synced() const {
  SyncReport report;
  view_.Report(report);
  graph_view_.Report(report);
  return report;
}

// If one of several namespaces cannot be listed, work begins in the others.
bool ClusterController::CanBegin(const SyncReport& report) const {
  const bool all_unreadable = !report.unreadable.empty() && report.unreadable.size() >= options_.namespaces.size();
  return !report.waits && !all_unreadable;
}

void ClusterController::Follow(const SyncReport& report, const std::stop_token& stop) {
  std::set<std::string> unreadable;
  for (const auto& [name, why] : report.unreadable) unreadable.insert(name);
  const bool more = !std::ranges::includes(unreadable, held_);
  // Objects of a namespace that has become readable may give new evidence about the cluster's features.
  if (more) Look(stop);
  held_ = unreadable;
  view_.Hold(std::move(unreadable));
  if (more) view_.QueueAll();
  const bool more_was_made = graph_view_.has_objects() || !report.unreadable.empty();
  if (!working_.load() && view_.SettleConfiguration(more_was_made, stop)) BeginWork();
}

void ClusterController::BeginWork() {
  const auto while_leading = [this](auto& reconciler) {
    return [this, &reconciler](const kubernetes::ObjectName& name, const std::stop_token& stop) {
      return leads() ? reconciler.Reconcile(name, stop) : Outcome{.retry = true, .again_in = std::nullopt};
    };
  };
  loop_.emplace("InferenceService", kReconcilers, queue_, while_leading(services_), clock_, metrics_);
  graph_loop_.emplace("InferenceGraph", kGraphReconcilers, graph_queue_, while_leading(graphs_), clock_, metrics_);
  OpenWebhooks();
  working_ = true;
  logger_.Info("ready", {{"services", view_.Services().size()}, {"graphs", graph_view_.Graphs().size()}});
  if (options_.leader_elect) {
    electing_ = std::jthread(
        [this](const std::stop_token& stop) { election_.Run(stop, [this](bool leading) { OnLeading(leading); }); });
  } else {
    OnLeading(true);
  }
}

// Webhooks decide with the watched configuration and runtimes.
void ClusterController::OpenWebhooks() {
  if (options_.webhook_port == 0 || options_.webhook_name.empty()) return;
  model::AdmissionContext objects = {.config = [this] { return view_.configuration()->config; },
                                     .runtimes =
                                         [this] {
                                           std::vector<model::ServingRuntime> runtimes;
                                           for (const auto& runtime : view_.runtimes()) runtimes.push_back(*runtime);
                                           return runtimes;
                                         }};
  // A pod is created only once, so that a cached lookup is not good enough. The review's requests must not queue behind
  // the controller's writes, either.
  PodReviewContext pods = {
      .configuration = [this] { return view_.configuration(); },
      .find = [this](const std::string& kind, const kubernetes::ObjectName& name,
                     const std::stop_token& stop) { return ReadPodObject(review_client_, kind, name, stop); }};
  webhooks_.emplace(
      WebhookOptions{
          .on_pods_change = [this] { view_.QueueAll(); },
          .port = options_.webhook_port,
          .places = {.secret = {options_.controller_namespace, kWebhookSecret}, .webhook_name = options_.webhook_name}},
      client_, ReviewContext{.objects = std::move(objects), .pods = std::move(pods)}, [this] { return leads(); },
      clock_, metrics_, logger_);
}

void ClusterController::OnLeading(bool leading) {
  leading_->Set(leading ? 1 : 0);
  logger_.Info(leading ? "leading" : "not leading");
  if (leading) {
    // The other leader's guard was responsible for changes until now.
    guard_.Restart();
    graph_guard_.Restart();
  }
  SetPaused(!leading);
  // Catches up with changes while another controller led, and with its unfinished work.
  if (leading) view_.QueueAll();
  if (leading && webhooks_.has_value()) webhooks_->Wake();
}

void ClusterController::Run(int signals) {
  watching_ = std::jthread([this](const std::stop_token& stop) { Watch(stop); });
  pollfd file = {.fd = signals, .events = POLLIN, .revents = 0};
  while (poll(&file, 1, -1) < 1) {
  }
  logger_.Info("ending");
}

int RunCluster(ClusterOptions options) {
  const base::FileDescriptor signals = base::TakeEndSignals();
  auto logger = base::Logger::Create({});
  if (!logger.has_value()) {
    std::cerr << logger.error().message() << "\n";
    return kExitFailed;
  }
  if (options.diff) return RunDiff(std::move(options), **logger);
  auto controller = ClusterController::Create(std::move(options), **logger);
  const base::Status started = controller.has_value() ? (*controller)->Start() : controller.error();
  if (!started.ok()) {
    (*logger)->Error(started.message());
    return kExitFailed;
  }
  (*controller)->Run(signals.get());
  controller->reset();
  (*logger)->Info("stopped");
  return 0;
}

}  // namespace inferd::cluster
