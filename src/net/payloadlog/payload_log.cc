#include "net/payloadlog/payload_log.h"

#include <algorithm>
#include <utility>

namespace inferd::payloadlog {

namespace {

using Clock = std::chrono::steady_clock;

std::shared_ptr<metrics::Counter> Sent(metrics::Registry& registry, std::string_view type) {
  return registry.AddCounter("inferd_payload_log_sent_total", "Payloads that the log's sink has taken",
                             {{"type", std::string(type)}});
}

std::shared_ptr<metrics::Counter> Dropped(metrics::Registry& registry, std::string_view reason) {
  return registry.AddCounter("inferd_payload_log_dropped_total", "Payloads that are missing in the log",
                             {{"reason", std::string(reason)}});
}

}  // namespace

PayloadLog::PayloadLog(const PayloadLogOptions& options, const SinkMaker& make_sink, metrics::Registry& registry,
                       base::Logger& logger)
    : options_(options),
      logger_(logger),
      sent_requests_(Sent(registry, "request")),
      sent_responses_(Sent(registry, "response")),
      dropped_full_(Dropped(registry, "queue_full")),
      dropped_too_large_(Dropped(registry, "too_large")),
      dropped_refused_(Dropped(registry, "refused")),
      dropped_failed_(Dropped(registry, "failed")),
      dropped_stopped_(Dropped(registry, "stopped")),
      waiting_count_(registry.AddGauge("inferd_payload_log_waiting", "Payloads that the log has yet to send", {})),
      waiting_bytes_(registry.AddGauge("inferd_payload_log_waiting_bytes", "Bytes of those payloads", {})) {
  const size_t workers = std::max<size_t>(options_.workers, 1);
  for (size_t i = 0; i < workers; ++i) sinks_.push_back(make_sink());
  for (const auto& sink : sinks_) threads_.emplace_back([this, &sink = *sink] { Run(sink); });
}

PayloadLog::~PayloadLog() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
    until_ = Clock::now() + options_.drain_max;
  }
  arrived_.NotifyAll();
  ending_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
  const base::MutexLock lock(mutex_);
  dropped_stopped_->Add(waiting_.size());
}

void PayloadLog::Put(Payload&& payload) {
  const size_t bytes = payload.body_bytes();
  if (bytes > options_.bytes_max) return DropTooLarge();
  {
    const base::MutexLock lock(mutex_);
    if (held_ >= options_.payloads_max || bytes > options_.bytes_max - bytes_) return dropped_full_->Add();
    waiting_.push_back(std::move(payload));
    ++held_;
    bytes_ += bytes;
    CountWaiting();
  }
  arrived_.NotifyOne();
}

void PayloadLog::CountWaiting() {
  waiting_count_->Set(static_cast<int64_t>(held_));
  waiting_bytes_->Set(static_cast<int64_t>(bytes_));
}

void PayloadLog::Run(PayloadSink& sink) {
  base::MutexLock lock(mutex_);
  for (;;) {
    while (waiting_.empty() && !stopping_) arrived_.Wait(mutex_);
    if (waiting_.empty() || abandoned_ || (stopping_ && Clock::now() >= until_)) return;
    Payload payload = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const bool there = Send(sink, payload);
    const size_t bytes = payload.body_bytes();
    payload = {};
    lock.lock();
    --held_;
    bytes_ -= bytes;
    CountWaiting();
    // If the sink is unreachable, the other payloads would fail too: the end does not wait for them.
    if (stopping_ && !there) {
      abandoned_ = true;
      ending_.NotifyAll();
    }
  }
}

bool PayloadLog::Send(PayloadSink& sink, const Payload& payload) {
  base::Status status;
  for (int attempt = 0; attempt < std::max(options_.attempts, 1); ++attempt) {
    if (attempt > 0 && !PauseBefore(attempt)) break;
    status = sink.Send(payload);
    if (status.code() != base::StatusCode::kUnavailable) break;
  }
  Say(status);
  if (status.ok()) {
    (payload.kind == PayloadKind::kRequest ? sent_requests_ : sent_responses_)->Add();
    return true;
  }
  const bool refused = status.code() != base::StatusCode::kUnavailable;
  (refused ? dropped_refused_ : dropped_failed_)->Add();
  return refused;
}

// Returns false if the log ends and there is no time for another attempt.
bool PayloadLog::PauseBefore(int attempt) {
  const Clock::time_point until = Clock::now() + options_.first_pause * (1 << std::min(attempt - 1, 10));
  base::MutexLock lock(mutex_);
  while (Clock::now() < until) {
    if (abandoned_ || (stopping_ && Clock::now() >= until_)) return false;
    ending_.WaitUntil(mutex_, stopping_ ? std::min(until, until_) : until);
  }
  return !abandoned_;
}

void PayloadLog::Say(const base::Status& status) {
  if (failing_.exchange(!status.ok()) == !status.ok()) return;
  if (status.ok()) {
    logger_.Info("payloads are taken again");
  } else {
    logger_.Error("payloads are lost", {{"error", status.message()}});
  }
}

}  // namespace inferd::payloadlog
