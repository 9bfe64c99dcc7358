#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/end_of_turn.h"
#include "net/event_loop.h"
#include "net/http/limits.h"
#include "net/upstream/address.h"
#include "net/upstream/connection.h"
#include "net/upstream/exchange.h"
#include "net/upstream/idle_look.h"

namespace inferd::net::upstream {

struct PoolOptions {
  size_t idle_max = 256;  // connections that are kept for each address
  // Connections that have been idle for longer are not reused. Common servers close theirs after 2 s and more
  // (gunicorn) or 5 s (uvicorn, Node.js): a request that is sent at that moment may be lost.
  std::chrono::milliseconds idle_timeout{2'000};
  Limits limits{};  // for responses' heads
};

// One loop's connections to other servers, which are reused. Loop-bound; outlives its receivers.
class Pool final : public ConnectionOwner {
 public:
  Pool(EventLoop& loop, PoolOptions options);

  // Sends the request on the most recently used idle connection that the server has not closed. If there is none, or if
  // `fresh`, it uses a new one. The receiver is not called inside. It must outlive the request or cancel it (~Receiver
  // does). The error has the reason if there is no connection: then nothing was sent, and the receiver will not be
  // called.
  base::Status Send(const Address& address, const Request& request, Receiver& receiver, bool fresh = false);
  // Drops the idle connections to the address, because its server is gone.
  void Forget(const std::string& address);

  size_t connections() const { return connections_.size(); }

  // For ConnectionOwner.
  EventLoop& loop() override { return loop_; }
  const Limits& limits() const override { return options_.limits; }
  std::span<std::byte> read_space() override { return {read_space_.get(), kReadBytes}; }
  void OnIdle(Connection& connection) override;
  void OnClosed(Connection& connection) override;

 private:
  static constexpr size_t kReadBytes = 64 << 10;

  bool CloseIdle(int64_t until_ns);
  // Takes a usable idle connection to the address. Null if there is none.
  Connection* TakeIdle(const std::string& address);

  EventLoop& loop_;
  const PoolOptions options_;
  const std::unique_ptr<std::byte[]> read_space_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::unordered_map<std::string, std::vector<Connection*>> idle_;  // by address, most recently used last
  DestroyedAtEndOfTurn<Connection> closed_;
  IdleLook idle_look_;
};

}  // namespace inferd::net::upstream
