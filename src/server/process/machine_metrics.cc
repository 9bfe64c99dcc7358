#include "server/process/machine_metrics.h"

#include <fstream>
#include <limits>
#include <memory>
#include <string>

#include "base/mutex.h"

namespace inferd::server {

namespace {

// Times of all cores together since the machine started, in arbitrary units.
struct CoreTimes {
  double busy = 0;
  double all = 0;
};

// Reads the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal.
CoreTimes ReadCoreTimes() {
  constexpr int kTimes = 8;
  constexpr int kIdle = 3;
  constexpr int kWaiting = 4;
  std::ifstream stat("/proc/stat");
  std::string name;
  stat >> name;
  CoreTimes times;
  double time = 0;
  for (int i = 0; i < kTimes && stat >> time; ++i) {
    times.all += time;
    if (i != kIdle && i != kWaiting) times.busy += time;
  }
  return times;
}

// Computes the CPU utilization. Thread-safe.
class CoreUse final {
 public:
  // Returns the share since the last call. Without elapsed time, returns the previous value.
  double Share() {
    const CoreTimes now = ReadCoreTimes();
    const base::MutexLock lock(mutex_);
    if (now.all > before_.all) share_ = (now.busy - before_.busy) / (now.all - before_.all);
    before_ = now;
    return share_;
  }

 private:
  base::Mutex mutex_;
  CoreTimes before_ GUARDED_BY(mutex_) = ReadCoreTimes();
  double share_ GUARDED_BY(mutex_) = 0;
};

// Reads a line of /proc/meminfo, "MemTotal: 8000000 kB".
double MemoryBytes(const std::string& field) {
  constexpr double kBytesPerKb = 1024;
  std::ifstream file("/proc/meminfo");
  std::string name;
  double kb = 0;
  while (file >> name >> kb) {
    if (name == field + ":") return kb * kBytesPerKb;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace

void RegisterMachineMetrics(metrics::Registry& registry) {
  using Kind = metrics::Registry::CallbackKind;
  registry.AddCallback(Kind::kGauge, "nv_cpu_utilization", "CPU utilization rate [0.0 - 1.0]", {},
                       [use = std::make_shared<CoreUse>()] { return use->Share(); });
  registry.AddCallback(Kind::kGauge, "nv_cpu_memory_total_bytes", "CPU total memory (RAM), in bytes", {},
                       [] { return MemoryBytes("MemTotal"); });
  registry.AddCallback(Kind::kGauge, "nv_cpu_memory_used_bytes", "CPU used memory (RAM), in bytes", {},
                       [] { return MemoryBytes("MemTotal") - MemoryBytes("MemAvailable"); });
}

}  // namespace inferd::server
