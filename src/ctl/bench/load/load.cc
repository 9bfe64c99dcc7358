#include "ctl/bench/load/load.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "ctl/bench/load/load_worker.h"
#include "ctl/bench/load/process_cpu.h"

namespace inferd::ctl {

namespace {

constexpr int64_t kStopLookNs = 50'000'000;
constexpr int64_t kProgressNs = 1'000'000'000;

using Workers = std::vector<std::unique_ptr<LoadWorker>>;

void SleepUntil(int64_t steady_ns) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(steady_ns)));
}

// Waits for the workers: sleeps, checks whether the load must stop, and reports the progress. Without `stop` and
// `progress` it does not wake up in between.
class Watch {
 public:
  Watch(const LoadOptions& options, const Workers& workers, int64_t count_from_ns)
      : options_(options), workers_(workers), count_from_ns_(count_from_ns) {}

  // Returns false as soon as the load must stop.
  bool WaitUntil(int64_t until_ns) {
    if (options_.stop == nullptr && !options_.progress) {
      SleepUntil(until_ns);
      return true;
    }
    for (;;) {
      const int64_t now = base::SystemClock().NowNs();
      TellProgress(now);
      if (options_.stop != nullptr && options_.stop->load()) return false;
      if (now >= until_ns) return true;
      SleepUntil(std::min(until_ns, now + kStopLookNs));
    }
  }

 private:
  void TellProgress(int64_t now) {
    if (!options_.progress || now < next_progress_ns_) return;
    next_progress_ns_ = now + kProgressNs;
    LoadProgress progress{.warming_up = now < count_from_ns_};
    if (!progress.warming_up) progress.seconds = static_cast<double>(now - count_from_ns_) / 1e9;
    for (const auto& worker : workers_) progress.completed += worker->completed();
    options_.progress(progress);
  }

  const LoadOptions& options_;
  const Workers& workers_;
  int64_t count_from_ns_;
  int64_t next_progress_ns_ = 0;
};

// Adds everything but times: a thread's part to the whole, or one report to another.
void Add(const LoadReport& part, LoadReport& report) {
  report.due += part.due;
  report.answered += part.answered;
  report.refused += part.refused;
  report.broken += part.broken;
  report.completed += part.completed;
  report.latency.Merge(part.latency);
  report.stopped = report.stopped || part.stopped;
  if (report.first_error.empty()) report.first_error = part.first_error;
  for (const auto& [kind, count] : part.refused_as) report.refused_as[kind] += count;
  report.lag.Merge(part.lag);
  report.busiest_thread = std::max(report.busiest_thread, part.busiest_thread);
}

}  // namespace

void LoadReport::Append(const LoadReport& other) {
  Add(other, *this);
  const double both = seconds + other.seconds;
  if (both > 0) cpu_share = (cpu_share * seconds + other.cpu_share * other.seconds) / both;
  seconds = both;
  if (other.server_cpu_ns.has_value()) server_cpu_ns = server_cpu_ns.value_or(0) + *other.server_cpu_ns;
}

namespace {

base::Status Check(const LoadOptions& options) {
  if (options.url.tls) return base::Unimplemented("load over TLS is not generated; use an http:// URL");
  if (!options.protocol) return base::InvalidArgument("a load needs to know what to call");
  if (options.connections == 0 || options.in_flight == 0) {
    return base::InvalidArgument("a load needs at least one connection, and one call on it");
  }
  if (!(options.rate >= 0 && options.rate <= LoadOptions::kRateMax)) {
    return base::InvalidArgument("a load's rate is from 0 to 10 000 000 calls per second");
  }
  return base::OkStatus();
}

}  // namespace

base::Result<LoadReport> RunLoad(const LoadOptions& options) {
  INFERD_RETURN_IF_ERROR(Check(options));
  const size_t shares = std::clamp<size_t>(options.threads, 1, options.connections);
  Workers workers;
  for (size_t share = 0; share < shares; ++share) {
    workers.push_back(std::make_unique<LoadWorker>(options, share, shares));
    INFERD_RETURN_IF_ERROR(workers.back()->Connect());
  }

  const int64_t count_from_ns = base::SystemClock().NowNs() + std::chrono::nanoseconds(options.warmup).count();
  const int64_t end_ns = count_from_ns + std::chrono::nanoseconds(options.duration).count();
  for (const auto& worker : workers) worker->SetTimes(count_from_ns, end_ns);
  std::vector<std::thread> threads;
  for (const auto& worker : workers) {
    threads.emplace_back([&worker = *worker] { worker.Run(); });
  }
  const auto cpu_now = [&]() -> base::Result<int64_t> {
    return options.server_pid > 0 ? ProcessCpuNs(options.server_pid) : 0;
  };
  Watch watch(options, workers, count_from_ns);
  const bool counted = watch.WaitUntil(count_from_ns);
  const auto cpu_before = cpu_now();
  const bool stopped = !counted || !watch.WaitUntil(end_ns);
  const auto cpu_after = cpu_now();
  const int64_t ended_ns = stopped ? std::min(base::SystemClock().NowNs(), end_ns) : end_ns;
  if (stopped) {
    for (const auto& worker : workers) worker->Stop(ended_ns);
  }
  for (std::thread& thread : threads) thread.join();
  if (!cpu_before.has_value()) return std::unexpected(cpu_before.error());
  if (!cpu_after.has_value()) return std::unexpected(cpu_after.error());

  LoadReport report;
  for (const auto& worker : workers) {
    Add(worker->report(), report);
    report.cpu_share += worker->report().cpu_share;
  }
  report.seconds = static_cast<double>(std::max<int64_t>(ended_ns - count_from_ns, 0)) / 1e9;
  report.stopped = stopped;
  if (options.server_pid > 0) report.server_cpu_ns = *cpu_after - *cpu_before;
  return report;
}

}  // namespace inferd::ctl
