#pragma once

#include "net/event_loop.h"
#include "net/http/session.h"

namespace inferd::net {

class Shard;

// The half of SessionHost that stays as it is for as long as a connection lives: what its shard lends it, and what its
// listener knows of it. Loop-bound.
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
  // Before a session begins, of a connection that may be either.
  void set_tls(bool tls) { tls_ = tls; }

 private:
  Shard& shard_;
  HttpHandler& handler_;
  const ConnectionEnds ends_;
  bool tls_;
};

}  // namespace inferd::net
