#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "net/end_of_turn.h"
#include "net/event_loop.h"
#include "net/upstream/http2_connection.h"
#include "net/upstream/idle_look.h"

namespace inferd::net::upstream {

struct Http2PoolOptions {
  std::chrono::milliseconds idle_timeout{30'000};  // without a request
};

// The HTTP/2 connections of one loop to other servers. Each carries many requests. Loop-bound; outlives its receivers.
class Http2Pool final : public Http2ConnectionOwner {
 public:
  explicit Http2Pool(EventLoop& loop, const Http2PoolOptions& options = {});

  // Begins the request on a connection that takes another one, or on a new one. The receiver is not called inside. It
  // must outlive the request or cancel it (~Http2Receiver does). The error has the reason if there is no connection.
  base::Status Begin(const Address& address, const Http2Request& request, Http2Receiver& receiver);

  size_t connections() const { return connections_.size(); }

  // For Http2ConnectionOwner.
  EventLoop& loop() override { return loop_; }
  std::span<std::byte> read_space() override { return {read_space_.get(), kReadBytes}; }
  void OnIdle(Http2Connection& connection) override;
  void OnClosed(Http2Connection& connection) override;

 private:
  static constexpr size_t kReadBytes = 64 << 10;

  bool CloseIdle(int64_t until_ns);

  EventLoop& loop_;
  const std::unique_ptr<std::byte[]> read_space_;
  DestroyedAtEndOfTurn<Http2Connection> closed_;
  std::unordered_map<Http2Connection*, std::unique_ptr<Http2Connection>> connections_;
  IdleLook idle_look_;
};

}  // namespace inferd::net::upstream
