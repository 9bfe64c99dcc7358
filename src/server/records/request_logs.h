#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "config/options/served_model.h"
#include "protocols/tfs/request_log.h"
#include "server/records/new_record_file.h"

namespace inferd::server {

// Limits for the calls that wait to be written, over all models.
struct RequestLogLimits {
  size_t calls_max = 4096;
  size_t bytes_max = size_t{64} << 20;
  RecordFileLimits files = {};  // for each model's log
};

// The request logs of the models that have one in TensorFlow Serving's logging_config: PredictionLogs in TFRecord files
// (NewRecordFile), which can serve as warm-up requests of a version. A thread encodes and writes the records. Calls
// that exceed the limits, or arrive while the thread cannot be created, are dropped.
// `:tensorflow:serving:request_log_count` counts calls by model and status: OK, RESOURCE_EXHAUSTED if dropped, another
// status if writing failed. Thread-safe.
class RequestLogs final : public tfs::RequestLog {
 public:
  // All references must outlive this.
  RequestLogs(metrics::Registry& registry, base::Logger& logger, const base::Clock& clock,
              RequestLogLimits limits = {});
  ~RequestLogs() override;
  RequestLogs(const RequestLogs&) = delete;
  RequestLogs& operator=(const RequestLogs&) = delete;

  // Sets the served models. Every log starts a new file.
  void Serve(const std::vector<config::ServedModel>& models);
  // Starts a new file for every log, after an operator has moved the old one away.
  void BeginNewFiles();
  // Writes the waiting calls, and accepts no more. Call it before models are destroyed, because waiting calls may refer
  // to them.
  void Stop();

  bool Draw(std::string_view model) override;
  void Write(tfs::LoggedCall call) override;

 private:
  class Log;  // of one model
  struct Waiting {
    std::shared_ptr<Log> log;
    tfs::LoggedCall call;
  };
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };

  std::shared_ptr<Log> Find(std::string_view model) EXCLUDES(mutex_);
  bool HasThread() REQUIRES(mutex_);
  void WriteAll();

  metrics::Registry& registry_;
  base::Logger& logger_;
  const base::Clock& clock_;
  const RequestLogLimits limits_;
  std::atomic<bool> any_{false};  // true if any model has a log; otherwise calls take no lock
  base::Mutex mutex_;
  base::CondVar changed_;
  std::unordered_map<std::string, std::shared_ptr<Log>, NameHash, std::equal_to<>> logs_ GUARDED_BY(mutex_);
  std::deque<Waiting> waiting_ GUARDED_BY(mutex_);
  size_t waiting_bytes_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool said_no_thread_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // started by the first log
};

}  // namespace inferd::server
