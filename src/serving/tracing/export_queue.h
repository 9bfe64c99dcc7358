#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "serving/tracing/trace_record.h"

namespace inferd::tracing {

// The destination of traces. Called on one thread.
class TraceExporter {
 public:
  virtual ~TraceExporter() = default;
  // Exports the records within a limited time. Returns false if they are lost, which the exporter has logged.
  virtual bool Export(std::vector<TraceRecord> records) = 0;
};

// Passes traces to an exporter on a thread of its own, many at a time. A trace that does not fit in the queue is
// dropped and counted, so no request waits for its trace. Thread-safe.
class ExportQueue final {
 public:
  struct Limits {
    size_t records_max = 2048;
    size_t batch_max = 512;                // with this many, an export does not wait
    std::chrono::milliseconds delay{100};  // between two exports
  };
  struct Counters {
    std::shared_ptr<metrics::Counter> exported, dropped;
  };

  ExportQueue(std::unique_ptr<TraceExporter> exporter, const Limits& limits, Counters counters);
  // Exports the queued traces, until an export fails.
  ~ExportQueue();
  ExportQueue(const ExportQueue&) = delete;
  ExportQueue& operator=(const ExportQueue&) = delete;

  void Put(TraceRecord&& record);

 private:
  void Run();
  std::vector<TraceRecord> TakeLocked() REQUIRES(mutex_);
  bool Export(std::vector<TraceRecord> records);

  const std::unique_ptr<TraceExporter> exporter_;
  const Limits limits_;
  const Counters counters_;
  base::Mutex mutex_;
  base::CondVar changed_;
  std::vector<TraceRecord> waiting_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace inferd::tracing
