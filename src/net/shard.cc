#include "net/shard.h"

#include <sys/socket.h>

#include <utility>

#include "net/tls.h"

namespace inferd::net {

namespace {

constexpr std::chrono::milliseconds kTick{1000};
constexpr uint64_t kTrimTicks = 10;

}  // namespace

Shard::Shard(EventLoop& loop, const Limits& limits, std::shared_ptr<MemoryBudget> budget, NetMetrics& metrics)
    : loop_(loop), limits_(limits), metrics_(metrics), bodies_(std::move(budget)) {}

Shard::~Shard() = default;

void Shard::Adopt(FileDescriptor fd, std::string peer, size_t listener, std::shared_ptr<TlsContext> tls) {
  if (closed_) {
    load_.fetch_sub(1, std::memory_order_release);
    return;
  }
  const bool is_tls = tls != nullptr;
  std::unique_ptr<Transport> transport;
  if (is_tls) {
    transport = MakeTlsTransport(fd.get(), std::move(tls));
  } else {
    transport = std::make_unique<PlainTransport>(fd.get());
  }
  auto connection = std::make_unique<Connection>(*this, *handlers_[listener], std::move(fd), std::move(transport),
                                                 std::move(peer), is_tls);
  metrics_.AddConnection();
  connection->index = connections_.size();
  connections_.push_back(std::move(connection));
  Connection& added = *connections_.back();
  if (!added.Open()) return Remove(added);
  if (draining_) added.BeginDrain();
  ScheduleTick();
}

void Shard::Remove(Connection& connection) {
  const size_t index = connection.index;
  const std::unique_ptr<Connection> removed = std::exchange(connections_[index], std::move(connections_.back()));
  connections_.pop_back();
  if (index < connections_.size()) connections_[index]->index = index;
  metrics_.RemoveConnection();
  load_.fetch_sub(1, std::memory_order_release);
}

void Shard::ScheduleTick() {
  if (tick_ == 0) tick_ = loop_.RunAfter(kTick, [this] { Tick(); });
}

// Nothing is destroyed here: a connection that closes goes at the end of the turn.
void Shard::Tick() {
  tick_ = 0;
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->OnTick(loop_.now_ns());
  if (++ticks_ % kTrimTicks == 0) bodies_.Trim();
  if (!connections_.empty() || bodies_.cached_bytes() > 0) ScheduleTick();
}

void Shard::BeginDrain() {
  draining_ = true;
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->BeginDrain();
}

void Shard::CloseAll() {
  closed_ = true;
  loop_.CancelTimer(std::exchange(tick_, 0));
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->Close();
}

void Shard::Shut() {
  loop_.CancelTimer(std::exchange(tick_, 0));
  handlers_.clear();
}

}  // namespace inferd::net
