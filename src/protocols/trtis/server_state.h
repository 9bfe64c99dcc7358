#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "serving/core/model/catalog.h"

namespace inferd::trtis {

// Counters that one server's front-ends share, whatever the transport. Thread-safe.
class ServerState final {
 public:
  // `server_id` and `version` are shown in the server's status. If `refuses_while_draining`, inferences are refused as
  // soon as the server is about to end; otherwise they are served during the grace period.
  ServerState(std::string server_id, std::string version, bool refuses_while_draining = false)
      : server_id_(std::move(server_id)),
        version_(std::move(version)),
        refuses_while_draining_(refuses_while_draining),
        started_ns_(clock_.NowNs()) {}

  const std::string& server_id() const { return server_id_; }
  const std::string& version() const { return version_; }
  bool refuses_while_draining() const { return refuses_while_draining_; }
  uint64_t UptimeNs() const { return static_cast<uint64_t>(clock_.NowNs() - started_ns_); }

  // Returns the id of the next request that is not refused at once; the first is 1.
  uint64_t NextRequestId() { return requests_.fetch_add(1, std::memory_order_relaxed) + 1; }

  // Requests about the server itself: their number and total duration.
  enum class Kind : uint8_t { kStatus, kProfile, kHealth };
  void Count(Kind kind, int64_t ns) {
    Tally& tally = tallies_[static_cast<size_t>(kind)];
    tally.count.fetch_add(1, std::memory_order_relaxed);
    tally.ns.fetch_add(ns > 0 ? static_cast<uint64_t>(ns) : 0, std::memory_order_relaxed);
  }
  core::DurationStat Counted(Kind kind) const {
    const Tally& tally = tallies_[static_cast<size_t>(kind)];
    return {.count = tally.count.load(std::memory_order_relaxed), .ns = tally.ns.load(std::memory_order_relaxed)};
  }

 private:
  struct Tally {
    std::atomic<uint64_t> count{0};
    std::atomic<uint64_t> ns{0};
  };

  const base::SystemClock clock_;
  const std::string server_id_;
  const std::string version_;
  const bool refuses_while_draining_;
  const int64_t started_ns_;
  std::atomic<uint64_t> requests_{0};
  Tally tallies_[3];
};

}  // namespace inferd::trtis
