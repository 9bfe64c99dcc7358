#include "net/server.h"

#include <latch>
#include <utility>

#include "net/connection_count.h"
#include "net/event_loop.h"
#include "net/listener.h"
#include "net/memory_budget.h"
#include "net/net_metrics.h"
#include "net/shard.h"

namespace inferd::net {

struct Server::Core {
  LoopGroup& loops;
  const Limits limits;
  base::Logger& logger;
  std::shared_ptr<MemoryBudget> budget;
  std::shared_ptr<NetMetrics[]> metrics;  // one for each loop
  ConnectionCount count;
  std::vector<EventLoop*> event_loops;
  std::vector<std::unique_ptr<Shard>> shards;
  // A thread that does nothing else, so that whatever holds a loop keeps nobody from being accepted.
  EventLoop acceptor{loops.size(), "accept"};
  std::vector<std::unique_ptr<Listener>> listeners;
  size_t accepting = 0;  // of them
  bool stopped = false;

  // Runs `task` on `loop` and waits.
  static void RunOn(Loop& loop, base::Task task);
  template <typename Each>
  void OnEachShard(Each each) {
    for (auto& shard : shards) RunOn(shard->loop(), [&shard, &each] { each(*shard); });
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
                     .metrics = std::shared_ptr<NetMetrics[]>(new NetMetrics[loops.size()]),
                     .count = {},
                     .event_loops = {},
                     .shards = {},
                     .listeners = {},
                     .accepting = 0}) {
  for (size_t i = 0; i < loops.size(); ++i) {
    core_->event_loops.push_back(loops.loops_[i].get());
    core_->shards.push_back(std::make_unique<Shard>(*core_->event_loops.back(), core_->limits, core_->budget,
                                                    core_->metrics[i], core_->count));
  }
  if (registry != nullptr) NetMetrics::Publish(core_->metrics, loops.size(), *registry);
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
  core.OnEachShard([&options](Shard& shard) { shard.AddHandler(options.handlers(shard.loop())); });
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

void Server::BeginDrain() {
  core_->CloseListeners();
  core_->OnEachShard([](Shard& shard) { shard.BeginDrain(); });
}

bool Server::WaitUntilIdle(std::chrono::milliseconds timeout) { return core_->count.WaitForNone(timeout); }

void Server::Stop() {
  Core& core = *core_;
  if (std::exchange(core.stopped, true)) return;
  core.CloseListeners();
  // What a listener handed over is in a loop's queue before the task that closes all.
  core.OnEachShard([](Shard& shard) { shard.CloseAll(); });
  // The connections went at the end of that turn.
  core.OnEachShard([](Shard& shard) { shard.Shut(); });
}

size_t Server::connections() const { return core_->count.value(); }

size_t Server::requests_in_flight() const {
  int64_t total = 0;
  for (size_t i = 0; i < core_->shards.size(); ++i) total += core_->metrics[i].in_flight();
  return static_cast<size_t>(std::max<int64_t>(total, 0));
}

uint64_t Server::body_bytes_in_flight() const { return core_->budget->used(); }

}  // namespace inferd::net
