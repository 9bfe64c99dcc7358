#include "kserve/cluster/admission/webhook_server.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kserve/cluster/admission/webhook_configuration.h"
#include "kserve/cluster/admission/webhook_handler.h"

namespace inferd::cluster {

namespace {

constexpr std::chrono::seconds kLookEvery{30};
constexpr std::chrono::milliseconds kBeforeSyncedEvery{100};  // before all objects have been listed
constexpr std::chrono::milliseconds kDrainTimeout{10'000};
constexpr size_t kLoops = 2;
constexpr size_t kLookups = 8;  // concurrent reviews that look up objects
constexpr const char* kListener = "webhooks";

// A webhook has few clients, and answers in milliseconds.
net::Limits WebhookLimits() {
  net::Limits limits;
  limits.connections_max = 1'000;
  limits.body_bytes_in_flight_max = uint64_t{128} << 20;
  return limits;
}

}  // namespace

WebhookServer::WebhookServer(WebhookOptions options, kubernetes::Client& client, ReviewContext context,
                             std::function<bool()> leads, const base::Clock& clock, metrics::Registry& registry,
                             base::Logger& logger)
    : options_(std::move(options)),
      context_(std::move(context)),
      logger_(logger),
      loops_(kLoops),
      lookups_("reviews", kLookups),
      server_(loops_, WebhookLimits(), &registry, logger),
      store_(
          client, options_.places, [this] { Wake(); }, logger),
      keeper_(
          store_, {.secret = options_.places.secret, .times = options_.times}, std::move(leads),
          [this](const net::PemPair& serving) { return Show(serving); }, clock, logger),
      thread_([this] {
        while (AwaitStep()) {
          keeper_.Step();
          TellOfPods();
        }
      }) {}

WebhookServer::~WebhookServer() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyOne();
  thread_.join();
  server_.BeginDrain();
  server_.WaitUntilIdle(kDrainTimeout);
  server_.Stop();
  loops_.Stop();
}

void WebhookServer::Wake() {
  {
    const base::MutexLock lock(mutex_);
    awake_ = true;
  }
  changed_.NotifyOne();
}

bool WebhookServer::ready() const { return port() != 0 || (store_.synced() && store_.configurations().empty()); }

bool WebhookServer::mutates_pods() const {
  // If the configurations cannot be listed, they may still exist.
  if (!store_.synced()) return true;
  return std::ranges::any_of(store_.configurations(), [](const kubernetes::ObjectPointer& configuration) {
    return std::ranges::any_of(CalledPaths(*configuration), &LooksUp);
  });
}

bool WebhookServer::AwaitStep() {
  // The change of the last object is reported before synced() becomes true, so poll until then.
  const auto deadline = std::chrono::steady_clock::now() + (store_.synced() ? kLookEvery : kBeforeSyncedEvery);
  const base::MutexLock lock(mutex_);
  while (!awake_ && !stopping_) {
    if (changed_.WaitUntil(mutex_, deadline) == std::cv_status::timeout) break;
  }
  awake_ = false;
  return !stopping_;
}

void WebhookServer::TellOfPods() {
  const bool mutates = mutates_pods();
  if (std::exchange(told_of_pods_, mutates) != mutates) options_.on_pods_change();
}

bool WebhookServer::Show(const net::PemPair& serving) {
  serving_ = serving;
  if (port() == 0) return Listen();
  const base::Status reloaded = server_.ReloadTls();
  if (!reloaded.ok()) logger_.Error(reloaded.WithContext("certificates of webhooks").message());
  return reloaded.ok();
}

bool WebhookServer::Listen() {
  net::ListenerOptions listener;
  listener.name = kListener;
  listener.address = options_.address;
  listener.port = options_.port;
  listener.tls.emplace().own_certificate = [this] { return serving_; };
  listener.handlers = [this](net::Loop& loop) {
    return MakeWebhookHandler({.context = context_, .lookups = lookups_}, loop);
  };
  if (const base::Status bound = server_.Listen(std::move(listener)); !bound.ok()) {
    logger_.Error(bound.WithContext("webhooks").message());
    return false;
  }
  port_.store(server_.port(kListener));
  logger_.Info("listening", {{"listener", kListener}, {"address", options_.address}, {"port", port()}});
  return true;
}

}  // namespace inferd::cluster
