#pragma once

#include "net/event_loop.h"
#include "net/http/session.h"

namespace inferd::net {

class Shard;

// The part of SessionHost that stays constant during a connection's life: resources of its shard, and facts from its
// listener. Loop-bound.
class ConnectionHost : public SessionHost {
 public:
  Loop& loop() final;
  HttpHandler& handler() final { return handler_; }
  const Limits& limits() const final;
  BodyPool& bodies() final;
  std::span<std::byte> read_space() final;
  SliceWriter& writer() final;
  Reply::Target& replies() final;
  NetMetrics& metrics() final;
  const ConnectionEnds& ends() const final { return ends_; }
  bool tls() const final { return tls_; }

 protected:
  ConnectionHost(Shard& shard, HttpHandler& handler, ConnectionEnds ends, bool tls);
  ~ConnectionHost() override = default;
  Shard& shard() { return shard_; }
  // Must be called before a session begins, on a connection that may be TLS or plain.
  void set_tls(bool tls) { tls_ = tls; }

 private:
  Shard& shard_;
  HttpHandler& handler_;
  const ConnectionEnds ends_;
  bool tls_;
};

}  // namespace inferd::net
