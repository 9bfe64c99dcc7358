#include "server/gpus/gpu_metrics.h"

#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace inferd::server {

namespace {

using Kind = metrics::Registry::CallbackKind;

constexpr std::chrono::milliseconds kIntervalMin{10};
constexpr std::chrono::seconds kEndWithin{2};

struct Row {
  std::optional<double> GpuFigures::* figure;
  Kind kind;
  const char* name;
  const char* help;
};

constexpr std::array kRows = {
    Row{&GpuFigures::utilization, Kind::kGauge, "nv_gpu_utilization", "GPU utilization rate [0.0 - 1.0)"},
    Row{&GpuFigures::memory_total, Kind::kGauge, "nv_gpu_memory_total_bytes", "GPU total memory, in bytes"},
    Row{&GpuFigures::memory_used, Kind::kGauge, "nv_gpu_memory_used_bytes", "GPU used memory, in bytes"},
    Row{&GpuFigures::power_usage, Kind::kGauge, "nv_gpu_power_usage", "GPU power usage in watts"},
    Row{&GpuFigures::power_limit, Kind::kGauge, "nv_gpu_power_limit", "GPU power management limit in watts"},
    Row{&GpuFigures::energy, Kind::kCounter, "nv_energy_consumption",
        "GPU energy consumption in joules since the server started"},
};

}  // namespace

// Shared with the thread, which may outlive GpuMetrics if the driver blocks.
class GpuMetrics::Reader final : public std::enable_shared_from_this<Reader> {
 public:
  Reader(metrics::Registry& registry, base::Logger& logger, std::chrono::milliseconds interval, std::string library)
      : interval_(std::max(interval, kIntervalMin)),
        library_(std::move(library)),
        registry_(registry),
        logger_(logger) {}

  void Start() {
    std::thread([self = shared_from_this()] { self->Run(); }).detach();
  }

  void Stop() {
    const auto deadline = std::chrono::steady_clock::now() + kEndWithin;
    const base::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
    while (!ended_ && changed_.WaitUntil(mutex_, deadline) != std::cv_status::timeout) {
    }
  }

 private:
  struct Gpu {
    std::string uuid;
    GpuFigures figures;                      // the last values
    std::array<bool, kRows.size()> shown{};  // true if the row is on the page
    std::optional<double> energy_at_start;
  };

  void Run() {
    if (auto nvml = Open(); nvml != nullptr) {
      do ReadAll(*nvml);
      while (Wait());
    }
    const base::MutexLock lock(mutex_);
    ended_ = true;
    changed_.NotifyAll();
  }

  std::unique_ptr<Nvml> Open() {
    auto opened = Nvml::Open(library_);
    const base::MutexLock lock(mutex_);
    if (stopped_) return nullptr;
    if (!opened.has_value()) {
      // A machine without a driver is normal, so nothing is logged.
      if (opened.error().code() != base::StatusCode::kNotFound) {
        logger_.Warning("there are no metrics of GPUs", {{"reason", opened.error().message()}});
      }
      return nullptr;
    }
    for (const std::string& uuid : (*opened)->uuids()) gpus_.emplace_back().uuid = uuid;
    return *std::move(opened);
  }

  // Returns false if the thread must end.
  bool Wait() {
    const auto deadline = std::chrono::steady_clock::now() + interval_;
    const base::MutexLock lock(mutex_);
    while (!stopped_ && changed_.WaitUntil(mutex_, deadline) != std::cv_status::timeout) {
    }
    return !stopped_;
  }

  void ReadAll(const Nvml& nvml) {
    for (size_t i = 0; i < gpus_.size(); ++i) {
      const GpuFigures read = nvml.Read(i);  // without a lock, since the driver may block
      const base::MutexLock lock(mutex_);
      if (stopped_) return;
      Keep(gpus_[i], read);
      for (size_t row = 0; row < kRows.size(); ++row) Show(i, row, (read.*kRows[row].figure).has_value());
    }
  }

  void Keep(Gpu& gpu, GpuFigures figures) EXCLUDES(figures_mutex_) {
    const base::MutexLock lock(figures_mutex_);
    if (figures.energy.has_value()) {
      if (!gpu.energy_at_start.has_value()) gpu.energy_at_start = figures.energy;
      *figures.energy = std::max(*figures.energy - *gpu.energy_at_start, 0.0);
    }
    gpu.figures = figures;
  }

  void Show(size_t i, size_t row, bool shown) REQUIRES(mutex_) {
    if (gpus_[i].shown[row] == shown) return;
    gpus_[i].shown[row] = shown;
    const metrics::Labels labels = {{"gpu_uuid", gpus_[i].uuid}};
    const Row& what = kRows[row];
    if (!shown) return registry_.RemoveSeries(what.name, labels);
    registry_.AddCallback(what.kind, what.name, what.help, labels,
                          [self = shared_from_this(), i, row] { return self->Value(i, row); });
  }

  // Called with the registry's lock held. A thread may wait for that lock with `mutex_` held, so this must not lock
  // `mutex_`.
  double Value(size_t i, size_t row) {
    const base::MutexLock lock(figures_mutex_);
    return (gpus_[i].figures.*kRows[row].figure).value_or(0);
  }

  const std::chrono::milliseconds interval_;
  const std::string library_;
  metrics::Registry& registry_;  // used with mutex_ held and only before the stop; may be gone later
  base::Logger& logger_;         // as registry_
  base::Mutex mutex_;
  base::CondVar changed_;
  bool stopped_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::vector<Gpu> gpus_;  // complete before the first one is shown; used by the thread, except the figures
  base::Mutex figures_mutex_;
};

GpuMetrics::GpuMetrics(metrics::Registry& registry, base::Logger& logger, std::chrono::milliseconds interval,
                       const std::string& library)
    : reader_(std::make_shared<Reader>(registry, logger, interval, library)) {
  reader_->Start();
}

GpuMetrics::~GpuMetrics() { reader_->Stop(); }

}  // namespace inferd::server
