#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/body/body.h"
#include "net/body/slice_writer.h"
#include "net/connection.h"
#include "net/connection_count.h"
#include "net/event_loop.h"
#include "net/http/limits.h"
#include "net/http/net_metrics.h"
#include "net/http/over_limit_handler.h"

namespace inferd::net {

class TlsContext;

// One loop's part of a server: its connections, its handlers (one per listener) and its body pool. Loop-bound except
// load() and Reserve().
class Shard final {
 public:
  Shard(EventLoop& loop, const Limits& limits, std::shared_ptr<MemoryBudget> budget, NetMetrics& metrics,
        ConnectionCount& count);
  ~Shard();

  EventLoop& loop() { return loop_; }
  const Limits& limits() const { return limits_; }
  BodyPool& bodies() { return bodies_; }
  SliceWriter& writer() { return writer_; }
  std::span<std::byte> read_space() { return {read_space_.get(), kReadSpaceBytes}; }
  NetMetrics& metrics() { return metrics_; }

  // Returns the number of connections here or on their way. Thread-safe.
  size_t load() const { return load_.load(std::memory_order_relaxed); }
  // Announces one Adopt() of a connection that the server has counted. Thread-safe.
  void Reserve() { load_.fetch_add(1, std::memory_order_relaxed); }

  // A connection that a listener has accepted.
  struct Arrival {
    base::FileDescriptor fd;
    ConnectionEnds ends;
    size_t listener = 0;
    ConnectionKind kind = ConnectionKind::kServing;
    std::shared_ptr<TlsContext> tls;  // nullptr for plain
    bool or_plain = false;            // TlsOptions::or_plain
  };

  // Listeners are numbered in the order in which their handlers are added. `vital` is ListenerOptions::vital.
  void AddHandler(std::unique_ptr<HttpHandler> handler, VitalRequest vital);
  void Adopt(Arrival arrival);
  // Called by a connection that has closed; destroys it.
  void Remove(Connection& connection);

  void AnnounceDrain();
  void BeginDrain();
  // Closes every connection, and refuses connections that are on their way. Call Shut() once they are gone; it destroys
  // the handlers.
  void CloseAll();
  void Shut();

 private:
  static constexpr size_t kReadSpaceBytes = 64 * 1024;

  void Forget(ConnectionKind kind);
  void Tick();
  void ScheduleTick();

  EventLoop& loop_;
  const Limits& limits_;
  NetMetrics& metrics_;
  ConnectionCount& count_;
  const std::chrono::milliseconds tick_every_;
  BodyPool bodies_;
  SliceWriter writer_;
  const std::unique_ptr<std::byte[]> read_space_ = std::make_unique_for_overwrite<std::byte[]>(kReadSpaceBytes);
  std::vector<std::unique_ptr<HttpHandler>> handlers_;
  std::vector<std::unique_ptr<HttpHandler>> over_limit_handlers_;  // by listener
  std::vector<std::unique_ptr<Connection>> connections_;
  std::atomic<size_t> load_{0};
  Loop::TimerId tick_ = 0;
  int64_t trimmed_ns_ = 0;
  bool announced_ = false;
  bool draining_ = false;
  bool closed_ = false;
};

}  // namespace inferd::net
