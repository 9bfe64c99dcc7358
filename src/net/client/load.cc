#include "net/client/load.h"

#include <algorithm>
#include <memory>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "net/client/load_worker.h"
#include "net/client/process_cpu.h"

namespace inferd::net {

namespace {

void SleepUntil(int64_t steady_ns) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(steady_ns)));
}

// All but times: a thread's part to the whole, or a whole to another.
void Add(const LoadReport& part, LoadReport& report) {
  report.due += part.due;
  report.answered += part.answered;
  report.refused += part.refused;
  report.broken += part.broken;
  report.completed += part.completed;
  report.latency.Merge(part.latency);
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

base::Result<LoadReport> RunLoad(const LoadOptions& options) {
  if (options.url.tls)
    return std::unexpected(base::Unimplemented("load over TLS is not generated; use an http:// URL"));
  if (!options.protocol) return std::unexpected(base::InvalidArgument("a load needs to know what to call"));
  if (options.connections == 0 || options.in_flight == 0)
    return std::unexpected(base::InvalidArgument("a load needs at least one connection, and one call on it"));
  if (!(options.rate >= 0 && options.rate <= LoadOptions::kRateMax))
    return std::unexpected(base::InvalidArgument("a load's rate is from 0 to 10 000 000 calls per second"));
  const size_t shares = std::clamp<size_t>(options.threads, 1, options.connections);
  std::vector<std::unique_ptr<LoadWorker>> workers;
  for (size_t share = 0; share < shares; ++share) {
    workers.push_back(std::make_unique<LoadWorker>(options, share, shares));
    INFERD_RETURN_IF_ERROR(workers.back()->Connect());
  }

  const int64_t count_from_ns = base::SystemClock().NowNs() + std::chrono::nanoseconds(options.warmup).count();
  const int64_t end_ns = count_from_ns + std::chrono::nanoseconds(options.duration).count();
  std::vector<std::thread> threads;
  for (const auto& worker : workers) {
    threads.emplace_back([&worker = *worker, count_from_ns, end_ns] { worker.Run(count_from_ns, end_ns); });
  }
  const auto cpu_now = [&]() -> base::Result<int64_t> {
    return options.server_pid > 0 ? ProcessCpuNs(options.server_pid) : 0;
  };
  SleepUntil(count_from_ns);
  const auto cpu_before = cpu_now();
  SleepUntil(end_ns);
  const auto cpu_after = cpu_now();
  for (std::thread& thread : threads) thread.join();
  if (!cpu_before.has_value()) return std::unexpected(cpu_before.error());
  if (!cpu_after.has_value()) return std::unexpected(cpu_after.error());

  LoadReport report;
  for (const auto& worker : workers) {
    Add(worker->report(), report);
    report.cpu_share += worker->report().cpu_share;
  }
  report.seconds = std::chrono::duration<double>(options.duration).count();
  if (options.server_pid > 0) report.server_cpu_ns = *cpu_after - *cpu_before;
  return report;
}

}  // namespace inferd::net
