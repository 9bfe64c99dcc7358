#include "server/records/request_logs.h"

#include <new>
#include <system_error>
#include <utility>

#include "base/mix_bits.h"
#include "base/thread_pool.h"
#include "server/records/prediction_log.h"

namespace inferd::server {

// One model's log, shared by its waiting calls. Thread-safe, except Write, which only the writing thread calls.
class RequestLogs::Log final {
 public:
  Log(std::string model, const config::RequestLogging& options, RequestLogs& owner)
      : model_(std::move(model)),
        rate_(options.sampling_rate),
        registry_(owner.registry_),
        logger_(owner.logger_),
        clock_(owner.clock_),
        file_(options.filename_prefix, owner.clock_, owner.limits_.files) {
    written_ = CounterOf(base::StatusCode::kOk);
    dropped_ = CounterOf(base::StatusCode::kResourceExhausted);
  }

  bool Draw() {
    const uint64_t drawn = base::MixBits(calls_.fetch_add(1, std::memory_order_relaxed) * base::kMixStep) >> 11;
    return static_cast<double>(drawn) * 0x1p-53 < rate_;
  }

  void CountDropped() { dropped_->Add(); }
  void BeginNewFile() { done_with_file_.store(true, std::memory_order_relaxed); }

  void Write(tfs::LoggedCall& call) {
    const base::Status status = TryWrite(call);
    (status.ok() ? written_ : CounterOf(status.code()))->Add();
    if (!status.ok() && status.message() != problem_) {
      logger_.Error("requests are not logged", {{"model", model_}, {"reason", status.message()}});
    }
    problem_ = status.message();
  }

 private:
  std::shared_ptr<metrics::Counter> CounterOf(base::StatusCode code) {
    return registry_.AddCounter(":tensorflow:serving:request_log_count", "The total number of requests logged.",
                                {{"model_name", model_}, {"status_code", std::string(base::StatusCodeName(code))}});
  }

  base::Status TryWrite(tfs::LoggedCall& call) {
    try {
      INFERD_ASSIGN_OR_RETURN(const tfs::LoggedCall::Messages messages, call.make_messages());
      if (done_with_file_.exchange(false, std::memory_order_relaxed)) file_.Close();
      return file_.Append(PredictionLogOf(call, messages, rate_, clock_.WallNs()));
    } catch (const std::bad_alloc&) {
      return base::ResourceExhausted("not enough memory for a record");
    }
  }

  const std::string model_;
  const double rate_;
  metrics::Registry& registry_;
  base::Logger& logger_;
  const base::Clock& clock_;
  std::shared_ptr<metrics::Counter> written_;
  std::shared_ptr<metrics::Counter> dropped_;
  std::atomic<uint64_t> calls_{0};
  std::atomic<bool> done_with_file_{false};
  NewRecordFile file_;
  std::string problem_;  // of the last record
};

RequestLogs::RequestLogs(metrics::Registry& registry, base::Logger& logger, const base::Clock& clock,
                         RequestLogLimits limits)
    : registry_(registry), logger_(logger), clock_(clock), limits_(limits) {}

RequestLogs::~RequestLogs() { Stop(); }

void RequestLogs::Stop() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  if (thread_.joinable()) thread_.join();
}

void RequestLogs::Serve(const std::vector<config::ServedModel>& models) {
  decltype(logs_) logs;
  for (const config::ServedModel& model : models) {
    if (!model.request_logging.has_value()) continue;
    logs.emplace(model.name, std::make_shared<Log>(model.name, *model.request_logging, *this));
  }
  const base::MutexLock lock(mutex_);
  any_.store(!logs.empty(), std::memory_order_relaxed);
  logs_.swap(logs);
  if (!logs_.empty()) static_cast<void>(HasThread());
}

// Starts the thread if there is none. Returns false if the system cannot create one; the next logged call tries again.
bool RequestLogs::HasThread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::jthread([this] {
      base::SetThreadName("requestlog");
      WriteAll();
    });
    return true;
  } catch (const std::system_error& error) {
    if (!std::exchange(said_no_thread_, true)) {
      logger_.Error("no thread can be started to log requests: they are dropped until there is one",
                    {{"reason", error.what()}});
    }
    return false;
  }
}

void RequestLogs::BeginNewFiles() {
  const base::MutexLock lock(mutex_);
  for (const auto& [model, log] : logs_) log->BeginNewFile();
}

std::shared_ptr<RequestLogs::Log> RequestLogs::Find(std::string_view model) {
  const base::MutexLock lock(mutex_);
  const auto found = logs_.find(model);
  return found != logs_.end() ? found->second : nullptr;
}

bool RequestLogs::Draw(std::string_view model) {
  if (!any_.load(std::memory_order_relaxed)) return false;
  const std::shared_ptr<Log> log = Find(model);
  return log != nullptr && log->Draw();
}

void RequestLogs::Write(tfs::LoggedCall call) {
  base::MutexLock lock(mutex_);
  const auto found = logs_.find(call.model);
  if (found == logs_.end() || stopping_) return;  // the log was removed after Draw
  if (waiting_.size() >= limits_.calls_max || call.bytes > limits_.bytes_max - waiting_bytes_ || !HasThread()) {
    const std::shared_ptr<Log> log = found->second;
    lock.unlock();
    return log->CountDropped();
  }
  waiting_bytes_ += call.bytes;
  waiting_.push_back({.log = found->second, .call = std::move(call)});
  if (waiting_.size() == 1) changed_.NotifyOne();
}

// The calls that are being written still count as waiting.
void RequestLogs::WriteAll() {
  base::MutexLock lock(mutex_);
  while (true) {
    while (waiting_.empty() && !stopping_) changed_.Wait(mutex_);
    if (waiting_.empty()) return;
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const size_t bytes = next.call.bytes;
    next.log->Write(next.call);
    next = {};
    lock.lock();
    waiting_bytes_ -= bytes;
  }
}

}  // namespace inferd::server
