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

// Of all models together, what may wait to be written.
struct RequestLogLimits {
  size_t calls_max = 4096;
  size_t bytes_max = size_t{64} << 20;
  RecordFileLimits files = {};  // of each model's log
};

// The logs of the models that have one, as TensorFlow Serving's logging_config asks for them: PredictionLogs in
// TFRecord files (NewRecordFile), which may be used as a version's warm-up requests. A thread of its own makes and
// writes the records; what passes the limits, or comes while the system gives no thread, is dropped.
// `:tensorflow:serving:request_log_count` counts calls by model and outcome: OK, RESOURCE_EXHAUSTED for what was
// dropped, another status for what could not be written. Thread-safe.
class RequestLogs final : public tfs::RequestLog {
 public:
  // Everything outlives it.
  RequestLogs(metrics::Registry& registry, base::Logger& logger, const base::Clock& clock,
              RequestLogLimits limits = {});
  ~RequestLogs() override;
  RequestLogs(const RequestLogs&) = delete;
  RequestLogs& operator=(const RequestLogs&) = delete;

  // The models that are served from now on. Every log begins a new file.
  void Serve(const std::vector<config::ServedModel>& models);
  // Every log begins a new file, after an operator has moved the old one away.
  void BeginNewFiles();
  // Writes what waits, and takes nothing any more. What waits may hold models: before they go.
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
  std::atomic<bool> any_{false};  // a model has a log: the others' calls take no lock
  base::Mutex mutex_;
  base::CondVar changed_;
  std::unordered_map<std::string, std::shared_ptr<Log>, NameHash, std::equal_to<>> logs_ GUARDED_BY(mutex_);
  std::deque<Waiting> waiting_ GUARDED_BY(mutex_);
  size_t waiting_bytes_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool said_no_thread_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;  // from the first log on
};

}  // namespace inferd::server
