#include "net/shard.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "net/tls.h"

namespace inferd::net {

namespace {

constexpr int64_t kTrimNs = 10'000'000'000;
constexpr std::chrono::milliseconds kDrainTick{20};

// Once a second, or more often if a time limit is short.
std::chrono::milliseconds TickOf(const Limits& limits) {
  auto shortest = std::min({limits.header_timeout, limits.idle_timeout, limits.body_timeout,
                            limits.http2_keepalive.ping_every, limits.http2_keepalive.ping_timeout});
  for (const auto limit : {limits.http2_age_max, limits.http2_age_grace}) {
    if (limit.count() > 0) shortest = std::min(shortest, limit);
  }
  return std::clamp(shortest / 4, std::chrono::milliseconds(10), std::chrono::milliseconds(1000));
}

}  // namespace

Shard::Shard(EventLoop& loop, const Limits& limits, std::shared_ptr<MemoryBudget> budget, NetMetrics& metrics,
             ConnectionCount& count)
    : loop_(loop),
      limits_(limits),
      metrics_(metrics),
      count_(count),
      tick_every_(TickOf(limits)),
      bodies_(std::move(budget)) {}

Shard::~Shard() = default;

void Shard::AddHandler(std::unique_ptr<HttpHandler> handler, VitalRequest vital) {
  over_limit_handlers_.push_back(std::make_unique<OverLimitHandler>(*handler, std::move(vital)));
  handlers_.push_back(std::move(handler));
}

void Shard::Adopt(Arrival arrival) {
  if (closed_) {
    Forget(arrival.kind);
    return;
  }
  const bool is_tls = arrival.tls != nullptr;
  const bool over_limit = arrival.kind == ConnectionKind::kOverLimit;
  std::unique_ptr<Transport> transport;
  if (is_tls && arrival.or_plain) {
    transport = std::make_unique<EitherTransport>(arrival.fd.get(), [tls = std::move(arrival.tls)](int fd) mutable {
      return MakeTlsTransport(fd, std::move(tls));
    });
  } else if (is_tls) {
    transport = MakeTlsTransport(arrival.fd.get(), std::move(arrival.tls));
  } else {
    transport = std::make_unique<PlainTransport>(arrival.fd.get());
  }
  HttpHandler& handler = *(over_limit ? over_limit_handlers_ : handlers_)[arrival.listener];
  auto connection = std::make_unique<Connection>(*this, handler, std::move(arrival.fd), std::move(transport),
                                                 std::move(arrival.ends), is_tls);
  connection->kind = arrival.kind;
  metrics_.AddConnection();
  connection->index = connections_.size();
  connections_.push_back(std::move(connection));
  Connection& added = *connections_.back();
  if (!added.Open()) return Remove(added);
  if (announced_ || over_limit) added.AnnounceDrain();
  if (draining_) added.BeginDrain();
  ScheduleTick();
}

void Shard::Remove(Connection& connection) {
  const size_t index = connection.index;
  std::unique_ptr<Connection> removed = std::exchange(connections_[index], std::move(connections_.back()));
  connections_.pop_back();
  if (index < connections_.size()) connections_[index]->index = index;
  const ConnectionKind kind = removed->kind;
  removed.reset();
  metrics_.RemoveConnection();
  Forget(kind);
}

void Shard::Forget(ConnectionKind kind) {
  load_.fetch_sub(1, std::memory_order_relaxed);
  count_.Remove(kind);
}

void Shard::ScheduleTick() {
  if (tick_ == 0) tick_ = loop_.RunAfter(announced_ ? kDrainTick : tick_every_, [this] { Tick(); });
}

// Destroys nothing here: a connection that closes is destroyed at the end of the turn.
void Shard::Tick() {
  tick_ = 0;
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->OnTick(loop_.now_ns());
  if (loop_.now_ns() - trimmed_ns_ > kTrimNs) {
    trimmed_ns_ = loop_.now_ns();
    bodies_.Trim();
  }
  if (!connections_.empty() || bodies_.cached_bytes() > 0) ScheduleTick();
}

void Shard::AnnounceDrain() {
  announced_ = true;
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->AnnounceDrain();
  loop_.CancelTimer(std::exchange(tick_, 0));
  ScheduleTick();
}

void Shard::BeginDrain() {
  if (!announced_) AnnounceDrain();
  draining_ = true;
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->BeginDrain();
  for (const auto& handler : handlers_) handler->OnDrain();
}

void Shard::CloseAll() {
  closed_ = true;
  loop_.CancelTimer(std::exchange(tick_, 0));
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->Close();
}

void Shard::Shut() {
  loop_.CancelTimer(std::exchange(tick_, 0));
  over_limit_handlers_.clear();
  handlers_.clear();
}

}  // namespace inferd::net
