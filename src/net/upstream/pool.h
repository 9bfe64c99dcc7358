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
  // Connections that have been idle for so long are not used again. Common servers close theirs after 2 s and more
  // (gunicorn), 5 s (uvicorn, Node.js): a request that meets that moment may be lost.
  std::chrono::milliseconds idle_timeout{2'000};
  Limits limits{};  // of responses' heads
};

// The connections of one loop to other servers, which are used again. Loop-bound; outlives its receivers.
class Pool final : public ConnectionOwner {
 public:
  Pool(EventLoop& loop, PoolOptions options);

  // Sends the request on a connection that is idle, the one used last, and that the server has not closed; where there
  // is none, or `fresh` is asked for, on a new one. The receiver is not called inside, and outlives the request or
  // gives it up (~Receiver). The error says why there is no connection: nothing was sent, nor will the receiver be
  // called.
  base::Status Send(const Address& address, const Request& request, Receiver& receiver, bool fresh = false);
  // No idle connection to the address is kept, as its server has gone.
  void Forget(const std::string& address);

  size_t connections() const { return connections_.size(); }

  // ConnectionOwner.
  EventLoop& loop() override { return loop_; }
  const Limits& limits() const override { return options_.limits; }
  std::span<std::byte> read_space() override { return {read_space_.get(), kReadBytes}; }
  void OnIdle(Connection& connection) override;
  void OnClosed(Connection& connection) override;

 private:
  static constexpr size_t kReadBytes = 64 << 10;

  bool CloseIdle(int64_t until_ns);
  // Takes an idle connection to the address that can be used. Null: there is none.
  Connection* TakeIdle(const std::string& address);

  EventLoop& loop_;
  const PoolOptions options_;
  const std::unique_ptr<std::byte[]> read_space_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;
  std::unordered_map<std::string, std::vector<Connection*>> idle_;  // by address, the one used last behind
  DestroyedAtEndOfTurn<Connection> closed_;
  IdleLook idle_look_;
};

}  // namespace inferd::net::upstream
