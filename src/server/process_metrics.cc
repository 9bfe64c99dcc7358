#include "server/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/infer_response.h"

namespace inferd::server {

namespace {

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The second number of /proc/self/statm, in pages.
double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0;
  double resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double EntriesOf(const char* folder) {
  double entries = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    ++entries;
  }
  return entries;
}

}  // namespace

void RegisterProcessMetrics(metrics::Registry& registry) {
  using Kind = metrics::Registry::CallbackKind;
  const auto started = static_cast<double>(std::time(nullptr));
  registry.AddCallback(Kind::kCounter, "process_cpu_seconds_total", "User and system CPU time spent", {}, CpuSeconds);
  registry.AddCallback(Kind::kGauge, "process_resident_memory_bytes", "Resident memory", {}, ResidentBytes);
  registry.AddCallback(Kind::kGauge, "process_threads", "Threads", {}, [] { return EntriesOf("/proc/self/task"); });
  registry.AddCallback(Kind::kGauge, "process_open_fds", "Open file descriptors", {},
                       [] { return EntriesOf("/proc/self/fd"); });
  registry.AddCallback(Kind::kGauge, "process_start_time_seconds", "Start of the process since the Unix epoch", {},
                       [started] { return started; });
  registry.AddCallback(Kind::kCounter, "inferd_dropped_completions_total",
                       "Requests that were dropped unanswered and got INTERNAL: a fault of the server each", {},
                       [] { return static_cast<double>(core::DroppedCompletions()); });
}

}  // namespace inferd::server
