#include "server/process/process_metrics.h"

#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/system/process_load.h"
#include "base/version/version.h"
#include "serving/core/request/infer_response.h"

namespace inferd::server {

namespace {

// Reads the second number of /proc/self/statm, which is in pages.
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
  registry
      .AddGauge("inferd_build_info", "1, with the server's version as a label",
                {{"version", std::string(base::BuildVersion())}})
      ->Set(1);
  registry.AddCallback(Kind::kCounter, "process_cpu_seconds_total", "User and system CPU time spent", {},
                       [] { return static_cast<double>(base::ProcessCpuNs()) * 1e-9; });
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

void RegisterOutputMetrics(metrics::Registry& registry, const base::ByteBudget& outputs) {
  using Kind = metrics::Registry::CallbackKind;
  registry.AddCallback(Kind::kGauge, "inferd_output_bytes_in_flight", "Memory of answers that clients have not read",
                       {}, [&outputs] { return static_cast<double>(outputs.used()); });
  registry.AddCallback(Kind::kGauge, "inferd_output_bytes_in_flight_max", "How much that may be", {},
                       [&outputs] { return static_cast<double>(outputs.bytes_max()); });
  registry.AddCallback(Kind::kCounter, "inferd_output_refusals_total",
                       "Requests refused, and outputs dropped, for want of room for answers that are not read", {},
                       [&outputs] { return static_cast<double>(outputs.refusals()); });
}

}  // namespace inferd::server
