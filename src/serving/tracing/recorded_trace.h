#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "config/options/trace_options.h"
#include "serving/core/request/request_trace.h"
#include "serving/tracing/export_queue.h"
#include "serving/tracing/trace_record.h"

namespace inferd::tracing {

// The state that all traces of a tracer share. Thread-safe.
class TraceHome final {
 public:
  TraceHome(const base::Clock& clock, std::unique_ptr<TraceExporter> exporter, const ExportQueue::Limits& limits,
            ExportQueue::Counters counters);

  const base::Clock& clock() const { return clock_; }
  ExportQueue& queue() { return queue_; }
  uint64_t NextId() { return ids_.fetch_add(1, std::memory_order_relaxed); }
  TraceId MakeTraceId();
  SpanId MakeSpanId();

 private:
  uint64_t Random();

  const base::Clock& clock_;
  const uint64_t seed_;
  std::atomic<uint64_t> drawn_{0};
  std::atomic<uint64_t> ids_{1};
  ExportQueue queue_;
};

// A trace that records its activities, and is exported when it ends.
class RecordedTrace final : public core::RequestTrace {
 public:
  RecordedTrace(std::shared_ptr<TraceHome> home, TraceRecord record, config::TraceLevel level);
  ~RecordedTrace() override;
  RecordedTrace(const RecordedTrace&) = delete;
  RecordedTrace& operator=(const RecordedTrace&) = delete;

  void Add(core::TraceActivity activity, int64_t at_ns) override;
  void AddNow(core::TraceActivity activity) override { Add(activity, home_->clock().NowNs()); }
  void AddCustom(std::string_view name) override;
  void AddTensor(core::TraceActivity activity, const core::InferTensor& tensor) override;
  std::shared_ptr<core::RequestTrace> Child(std::string_view model, std::string_view version) override;
  std::string_view traceparent() const override { return traceparent_; }

 private:
  const std::shared_ptr<TraceHome> home_;
  const config::TraceLevel level_;
  const std::string traceparent_;  // empty if the trace is not exported to OpenTelemetry
  base::Mutex mutex_;
  TraceRecord record_ GUARDED_BY(mutex_);
  size_t customs_ GUARDED_BY(mutex_) = 0;
};

}  // namespace inferd::tracing
