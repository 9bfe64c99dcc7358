#include "serving/repository/load/load_metrics.h"
#include "base/system/regular_file.h"

#include <array>
#include <string_view>

namespace inferd::repository {

namespace {

constexpr double kBoundsSeconds[] = {0.01, 0.1, 1, 10, 100};

// TensorFlow Serving's bounds: 10 us to about 20 minutes.
constexpr std::array<double, 33> BoundsUs() {
  std::array<double, 33> bounds{};
  double bound = 10;
  for (double& b : bounds) {
    b = bound;
    bound *= 1.8;
  }
  return bounds;
}
constexpr std::array<double, 33> kBoundsUs = BoundsUs();

double Seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

metrics::Labels And(metrics::Labels labels, std::string name, std::string_view value) {
  labels.emplace_back(std::move(name), std::string(value));
  return labels;
}

metrics::Labels MlMetadataOf(const core::ModelId& id) {
  return {{"model_name", id.name}, {"version", std::to_string(id.version)}};
}

}  // namespace

// TensorFlow Serving's labels, and one that its documentation leaves out: the text itself, without which the series is
// useless.
void LoadMetrics::AddMlMetadata(const Version& version) {
  constexpr size_t kBytesMax = 1024;
  const auto uuid = base::ReadRegularFile(version.dir / "assets.extra" / "mlmd_uuid", kBytesMax);
  registry_.Remove(MlMetadataOf(version.id));
  if (!uuid.has_value()) return;
  registry_
      .AddGauge(":tensorflow:serving:mlmd_map", "What ML Metadata call a model's version",
                And(MlMetadataOf(version.id), "mlmd_uuid", uuid->substr(0, uuid->find_last_not_of("\r\n") + 1)))
      ->Set(1);
}

metrics::Labels LoadMetrics::PathOf(const Version& version) {
  const std::string path = version.dir.string();
  base::MutexLock lock(mutex_);
  paths_[version.id.name].insert(path);
  return {{"model_path", path}};
}

void LoadMetrics::Opened(const Version& version, base::StatusCode code, int64_t duration_ns) {
  const bool ok = code == base::StatusCode::kOk;
  if (ok) {
    registry_
        .AddHistogram("inferd_model_load_duration_seconds",
                      "Time that loads of the model's versions took, warm-up aside", {{"model", version.id.name}},
                      kBoundsSeconds)
        ->Observe(Seconds(duration_ns));
  }
  if (!tensorflow_names_) return;
  const metrics::Labels path = PathOf(version);
  registry_
      .AddCounter(":tensorflow:cc:saved_model:load_attempt_count", "Loads of models, by how they ended",
                  And(path, "status", ok ? "success" : "fail"))
      ->Add();
  if (!ok) return;
  registry_
      .AddCounter(":tensorflow:cc:saved_model:load_latency", "Microseconds that loads of models took which succeeded",
                  path)
      ->Add(static_cast<uint64_t>(duration_ns / 1'000));
}

void LoadMetrics::WarmedUp(const Version& version, int64_t duration_ns) {
  registry_
      .AddHistogram("inferd_model_warmup_duration_seconds", "Time that warming the model's versions up took",
                    {{"model", version.id.name}}, kBoundsSeconds)
      ->Observe(Seconds(duration_ns));
}

void LoadMetrics::WarmedUpWithRecords(const Version& version, base::StatusCode code, size_t records,
                                      int64_t duration_ns) {
  if (!tensorflow_names_) return;
  const metrics::Labels labels = And(PathOf(version), "status", base::StatusCodeName(code));
  registry_
      .AddHistogram(":tensorflow:serving:model_warmup_latency", "Microseconds that warming models up took", labels,
                    kBoundsUs)
      ->Observe(static_cast<double>(duration_ns) * 1e-3);
  if (code != base::StatusCode::kOk) return;
  registry_
      .AddCounter(":tensorflow:serving:model_warmup_records_read", "Recorded requests that models were warmed up with",
                  labels)
      ->Add(records);
}

void LoadMetrics::Ended(const Version& version, base::StatusCode code, int64_t duration_ns) {
  const std::string& model = version.id.name;
  if (code != base::StatusCode::kOk) {
    registry_
        .AddCounter("inferd_model_load_failures_total", "Loads of the model's versions that failed", {{"model", model}})
        ->Add();
    return;
  }
  registry_.AddCallback(metrics::Registry::CallbackKind::kGauge, "nv_model_load_duration_secs",
                        "Time the last load of the version took, in seconds",
                        {{"model", model}, {"version", std::to_string(version.id.version)}},
                        [seconds = Seconds(duration_ns)] { return seconds; });
  if (tensorflow_names_) AddMlMetadata(version);
}

void LoadMetrics::ForgetVersion(const Version& version) {
  registry_.Remove({{"model", version.id.name}, {"version", std::to_string(version.id.version)}});
  if (!tensorflow_names_) return;
  registry_.Remove(MlMetadataOf(version.id));
  registry_.Remove(PathOf(version));
  base::MutexLock lock(mutex_);
  const auto paths = paths_.find(version.id.name);
  paths->second.erase(version.dir.string());
  if (paths->second.empty()) paths_.erase(paths);
}

void LoadMetrics::ForgetModel(const std::string& model) {
  registry_.Remove({{"model", model}});
  std::set<std::string> paths;
  {
    base::MutexLock lock(mutex_);
    if (const auto found = paths_.find(model); found != paths_.end()) paths = std::move(found->second);
    paths_.erase(model);
  }
  for (const std::string& path : paths) registry_.Remove({{"model_path", path}});
}

}  // namespace inferd::repository
