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
  size_t payloads_max = 4096;                   // that wait, and are sent
  uint64_t bytes_max = uint64_t{64} << 20;      // of their bodies; a longer one is never taken
  size_t workers = 5;                           // threads, each of which sends one at a time; at least 1
  int attempts = 3;                             // for each payload
  std::chrono::milliseconds first_pause{100};   // behind the first failed attempt; it doubles
  std::chrono::milliseconds drain_max{10'000};  // at the end, for what still waits
};

// Takes payloads to a sink on threads of its own. No request ever waits for it: what finds no place, and what the sink
// does not take, is dropped and counted. Thread-safe.
class PayloadLog final {
 public:
  using SinkMaker = std::function<std::unique_ptr<PayloadSink>()>;

  // `registry` and `logger` outlive it. `make_sink` is called once per worker, here.
  PayloadLog(const PayloadLogOptions& options, const SinkMaker& make_sink, metrics::Registry& registry,
             base::Logger& logger);
  // Sends what waits, until that takes too long or the sink takes nothing.
  ~PayloadLog();
  PayloadLog(const PayloadLog&) = delete;
  PayloadLog& operator=(const PayloadLog&) = delete;

  LogMode mode() const { return options_.mode; }
  // Of one body: whatever is longer need not be kept for the log.
  uint64_t bytes_max() const { return options_.bytes_max; }

  void Put(Payload&& payload);
  // For a payload that is too long to be kept until it is whole.
  void DropTooLarge() { dropped_too_large_->Add(); }

 private:
  using Counter = std::shared_ptr<metrics::Counter>;

  void Run(PayloadSink& sink);
  // Whether it is done with, by being sent or refused; false: the sink is not there.
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
  base::CondVar arrived_;  // there is a payload, or the end
  base::CondVar ending_;   // what wakes a worker that pauses: not a payload, which is for one that has none
  std::deque<Payload> waiting_ GUARDED_BY(mutex_);
  size_t held_ GUARDED_BY(mutex_) = 0;  // those that wait or are sent
  uint64_t bytes_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool abandoned_ GUARDED_BY(mutex_) = false;  // the rest is not sent any more
  std::chrono::steady_clock::time_point until_ GUARDED_BY(mutex_);

  std::vector<std::unique_ptr<PayloadSink>> sinks_;
  std::vector<std::thread> threads_;
};

}  // namespace inferd::payloadlog
