#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "net/payloadlog/payload.h"
#include "net/payloadlog/payload_sink.h"

namespace inferd::payloadlog {

struct PayloadLogOptions {
  LogMode mode = LogMode::kAll;
  size_t payloads_max = 4096;                   // waiting or being sent
  uint64_t bytes_max = uint64_t{64} << 20;      // of their bodies; a longer body is never taken
  size_t workers = 5;                           // threads, each of which sends one at a time; at least 1
  int attempts = 3;                             // for each payload
  std::chrono::milliseconds first_pause{100};   // after the first failed attempt; it doubles
  std::chrono::milliseconds drain_max{10'000};  // at the end, for payloads that still wait
};

// Sends payloads to a sink on threads of its own. No request ever waits for it: payloads that find no room, or that the
// sink does not take, are dropped and counted. Thread-safe.
class PayloadLog final {
 public:
  using SinkMaker = std::function<std::unique_ptr<PayloadSink>()>;

  // `registry` and `logger` must outlive it. `make_sink` is called here, once per worker.
  PayloadLog(const PayloadLogOptions& options, const SinkMaker& make_sink, metrics::Registry& registry,
             base::Logger& logger);
  // Sends the waiting payloads, until that takes too long or the sink takes none.
  ~PayloadLog();
  PayloadLog(const PayloadLog&) = delete;
  PayloadLog& operator=(const PayloadLog&) = delete;

  LogMode mode() const { return options_.mode; }
  // The maximum size of one body. The caller need not keep longer bodies for the log.
  uint64_t bytes_max() const { return options_.bytes_max; }

  void Put(Payload&& payload);
  // Counts a payload that is too long to be kept until it is complete.
  void DropTooLarge() { dropped_too_large_->Add(); }

 private:
  using Counter = std::shared_ptr<metrics::Counter>;

  void Run(PayloadSink& sink);
  // Returns true if the payload was sent or refused for good, and false if the sink is unreachable and it must be sent
  // again.
  bool Send(PayloadSink& sink, const Payload& payload);
  bool PauseBefore(int attempt);
  void Say(const base::Status& status);
  void CountWaiting() REQUIRES(mutex_);

  const PayloadLogOptions options_;
  base::Logger& logger_;
  const Counter sent_requests_, sent_responses_;
  const Counter dropped_full_, dropped_too_large_, dropped_refused_, dropped_failed_, dropped_stopped_;
  const std::shared_ptr<metrics::Gauge> waiting_count_, waiting_bytes_;
  std::atomic<bool> failing_{false};

  base::Mutex mutex_;
  base::CondVar arrived_;  // there is a payload, or the log ends
  base::CondVar ending_;   // wakes a pausing worker at the log's end; new payloads must wake idle workers instead
  std::deque<Payload> waiting_ GUARDED_BY(mutex_);
  size_t held_ GUARDED_BY(mutex_) = 0;  // payloads that wait or are being sent
  uint64_t bytes_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool abandoned_ GUARDED_BY(mutex_) = false;  // the rest will not be sent any more
  std::chrono::steady_clock::time_point until_ GUARDED_BY(mutex_);

  std::vector<std::unique_ptr<PayloadSink>> sinks_;
  std::vector<std::thread> threads_;
};

}  // namespace inferd::payloadlog
