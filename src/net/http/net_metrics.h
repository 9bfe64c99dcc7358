#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/metrics/registry.h"

namespace inferd::net {

// The counters of one loop. Only its loop writes them, so that there is no contention; any thread may read. Relaxed.
class alignas(64) NetMetrics final {
 public:
  void AddConnection() { Bump(connections_total_, 1), Bump(connections_, 1); }
  void RemoveConnection() { Bump(connections_, -1); }
  // A request was handed to a handler.
  void BeginRequest() { Bump(in_flight_, 1); }
  // The request was answered, or its peer is gone.
  void EndRequest() { Bump(in_flight_, -1); }
  // A handler or the transport made a response.
  void CountResponse(int status);
  void AddBytesRead(uint64_t n) { Bump(bytes_read_, static_cast<int64_t>(n)); }
  void AddBytesWritten(uint64_t n) { Bump(bytes_written_, static_cast<int64_t>(n)); }

  int64_t connections_total() const { return connections_total_.load(std::memory_order_relaxed); }
  int64_t connections() const { return connections_.load(std::memory_order_relaxed); }
  int64_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }
  int64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  int64_t bytes_written() const { return bytes_written_.load(std::memory_order_relaxed); }
  // Returns the count of `status`. Unknown statuses are counted as the first of their class (299 as 200).
  int64_t responses(int status) const;

  // Registers the sums over `count` loops in `registry`, under inferd_http_* names.
  static void Publish(std::shared_ptr<const NetMetrics[]> loops, size_t count, metrics::Registry& registry);

 private:
  using Number = std::atomic<int64_t>;
  static void Bump(Number& number, int64_t by) {
    number.store(number.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }

  Number connections_total_{0};
  Number connections_{0};
  Number in_flight_{0};
  Number bytes_read_{0};
  Number bytes_written_{0};
  std::array<Number, 32> responses_{};
};

}  // namespace inferd::net
