#include "net/server.h"

#include <future>
#include <latch>
#include <thread>
#include <utility>

#include "net/body/memory_budget.h"
#include "net/connection_count.h"
#include "net/event_loop.h"
#include "net/http/net_metrics.h"
#include "net/listener.h"
#include "net/shard.h"

namespace inferd::net {

struct Server::Core {
  LoopGroup& loops;
  const Limits limits;
  base::Logger& logger;
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<NetMetrics[]> metrics;  // by Loop::index()
  ConnectionCount count;
  std::vector<std::unique_ptr<Shard>> shards;  // by Loop::index(): the spare loop's is the last
  // A separate thread for accepting only, so that a blocked loop does not keep connections from being accepted.
  EventLoop acceptor{loops.index_end(), "accept", false};
  std::vector<std::unique_ptr<Listener>> listeners;
  size_t accepting = 0;  // the number of them that accept
  bool stopped = false;

  // Runs `task` on `loop` and waits for it.
  static void RunOn(Loop& loop, base::Task task);
  template <typename Each>
  void OnEachShard(Each each) {
    for (auto& shard : shards) RunOn(shard->loop(), [&shard, &each] { each(*shard); });
  }
  // Runs `each` on every loop, later.
  template <typename Each>
  void PostToEachShard(Each each) {
    for (auto& shard : shards) shard->loop().Post([&shard = *shard, each] { each(shard); });
  }
  void CloseListeners();
};

void Server::Core::RunOn(Loop& loop, base::Task task) {
  std::latch done(1);
  loop.Post([&done, &task] {
    task();
    done.count_down();
  });
  done.wait();
}

void Server::Core::CloseListeners() {
  RunOn(acceptor, [this] {
    for (auto& listener : listeners) listener->Stop();
  });
}

Server::Server(LoopGroup& loops, const Limits& limits, metrics::Registry* registry, base::Logger& logger)
    : core_(new Core{.loops = loops,
                     .limits = limits,
                     .logger = logger,
                     .budget = std::make_shared<MemoryBudget>(limits.body_bytes_in_flight_max),
                     .metrics = std::shared_ptr<NetMetrics[]>(new NetMetrics[loops.index_end()]),
                     .count = {},
                     .shards = {},
                     .listeners = {},
                     .accepting = 0}) {
  for (size_t i = 0; i < loops.index_end(); ++i) {
    EventLoop& loop = i < loops.size() ? *loops.loops_[i] : *loops.spare_;
    core_->shards.push_back(
        std::make_unique<Shard>(loop, core_->limits, core_->budget, core_->metrics[i], core_->count));
  }
  if (registry != nullptr) NetMetrics::Publish(core_->metrics, loops.index_end(), *registry);
}

Server::~Server() { Stop(); }

base::Status Server::Listen(ListenerOptions options) {
  INFERD_RETURN_IF_ERROR(Bind(std::move(options)));
  Accept();
  return base::OkStatus();
}

base::Status Server::Bind(ListenerOptions options) {
  Core& core = *core_;
  std::shared_ptr<TlsContext> tls;
  if (options.tls.has_value()) {
    INFERD_ASSIGN_OR_RETURN(tls, TlsContext::Load(*options.tls));
  }
  INFERD_ASSIGN_OR_RETURN(ListeningSocket socket, OpenListeningSocket(options));
  std::vector<Shard*> shards;
  shards.reserve(core.shards.size());
  for (auto& shard : core.shards) shards.push_back(shard.get());
  core.OnEachShard([&options](Shard& shard) { shard.AddHandler(options.handlers(shard.loop()), options.vital); });
  core.listeners.push_back(std::make_unique<Listener>(core.acceptor, std::move(shards), core.listeners.size(), options,
                                                      core.count, core.limits, std::move(socket), std::move(tls),
                                                      core.logger));
  return base::OkStatus();
}

void Server::Accept() {
  Core& core = *core_;
  Core::RunOn(core.acceptor, [&core] {
    while (core.accepting < core.listeners.size()) core.listeners[core.accepting++]->Start();
  });
}

uint16_t Server::port(std::string_view listener) const {
  for (const auto& candidate : core_->listeners) {
    if (candidate->name() == listener) return candidate->port();
  }
  return 0;
}

base::Status Server::ReloadTls() {
  base::Status first;
  for (auto& listener : core_->listeners) {
    base::Status status = listener->ReloadTls();
    if (first.ok() && !status.ok()) first = status.WithContext("listener '" + listener->name() + "'");
  }
  return first;
}

void Server::AnnounceDrain() {
  core_->PostToEachShard([](Shard& shard) { shard.AnnounceDrain(); });
}

void Server::RefuseConnections() {
  Core::RunOn(core_->acceptor, [this] {
    for (auto& listener : core_->listeners) listener->RefuseConnections();
  });
}

void Server::BeginDrain() {
  core_->CloseListeners();
  core_->PostToEachShard([](Shard& shard) { shard.BeginDrain(); });
}

bool Server::WaitUntilIdle(std::chrono::milliseconds timeout) { return core_->count.WaitForNone(timeout); }

void Server::Drain(std::chrono::milliseconds grace, std::chrono::milliseconds timeout) {
  AnnounceDrain();
  std::this_thread::sleep_for(grace);
  RefuseConnections();
  BeginDrain();
  if (!WaitUntilIdle(timeout)) {
    core_->logger.Warning("drain timeout passed: requests are left unanswered", {{"requests", requests_in_flight()}});
  }
  Stop();
}

void Server::Stop() { StopWithin(std::chrono::hours(24 * 365)); }

std::vector<std::string> Server::StopWithin(std::chrono::milliseconds timeout) {
  Core& core = *core_;
  if (std::exchange(core.stopped, true)) return {};
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  core.CloseListeners();
  std::vector<std::future<void>> closed;
  for (auto& shard : core.shards) {
    std::promise<void> done;
    closed.push_back(done.get_future());
    // Connections that a listener handed over are in a loop's queue before this task.
    shard->loop().Post([&shard = *shard, done = std::move(done)]() mutable {
      shard.CloseAll();
      done.set_value();
    });
  }
  std::vector<std::string> held;
  for (size_t i = 0; i < closed.size(); ++i) {
    EventLoop& loop = core.shards[i]->loop();
    const bool closes = closed[i].wait_until(deadline) == std::future_status::ready;
    if (!closes || !loop.AwaitLeftThreads(deadline)) held.push_back(loop.name());
  }
  // The connections were destroyed at the end of that turn.
  if (held.empty()) core.OnEachShard([](Shard& shard) { shard.Shut(); });
  return held;
}

size_t Server::connections() const { return core_->count.value(); }

size_t Server::requests_in_flight() const {
  int64_t total = 0;
  for (size_t i = 0; i < core_->shards.size(); ++i) total += core_->metrics[i].in_flight();
  return static_cast<size_t>(std::max<int64_t>(total, 0));
}

uint64_t Server::body_bytes_in_flight() const { return core_->budget->used(); }

}  // namespace inferd::net
