#include "kserve/model/scale/knative_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "data/manifest/fields.h"

namespace inferd::model {

namespace {

constexpr std::string_view kPrefix = "autoscaling.knative.dev/";
constexpr double kPercent = 100;
constexpr double kTargetMin = 0.01;
constexpr double kDefaultUtilization = 0.7;
constexpr double kDefaultRequestsPerSecond = 200;

struct DurationUnit {
  std::string_view name;
  double milliseconds;
};
// Longer names come before their prefixes.
constexpr std::array<DurationUnit, 7> kUnits = {
    {{"ms", 1}, {"us", 1e-3}, {"\xc2\xb5s", 1e-3}, {"ns", 1e-6}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}}};

// Reads the annotations of Knative's autoscaler. Keeps the first error.
class AnnotationReader {
 public:
  explicit AnnotationReader(const StringMap& annotations) : annotations_(annotations) {}

  const base::Status& status() const { return status_; }

  const std::string* Find(std::string_view name) const {
    const auto found = annotations_.find(std::string(kPrefix) + std::string(name));
    return found == annotations_.end() ? nullptr : &found->second;
  }

  void ReadInteger(std::string_view name, int64_t min, int64_t& target) {
    const std::string* text = Find(name);
    if (text == nullptr) return;
    const auto number = manifest::ParseInt64(*text);
    if (!number.has_value() || *number < min || *number > INT32_MAX) {
      return Fail(name, *text, "must be an integer of at least " + std::to_string(min));
    }
    target = *number;
  }

  // Reads a number from min to max.
  void ReadNumber(std::string_view name, double min, double max, double& target) {
    const std::string* text = Find(name);
    if (text == nullptr) return;
    double number = 0;
    const char* const end = text->data() + text->size();
    const auto [parsed, error] = std::from_chars(text->data(), end, number);
    if (error != std::errc() || parsed != end || !(number >= min && number <= max)) {
      return Fail(name, *text, "is no number in the range");
    }
    target = number;
  }

  void ReadDuration(std::string_view name, ScaleTime min, ScaleTime max, ScaleTime& target) {
    const std::string* text = Find(name);
    if (text == nullptr) return;
    const auto duration = ParseGoDuration(*text);
    if (!duration.has_value() || *duration < min || *duration > max) {
      return Fail(name, *text, "is no duration in the range");
    }
    target = *duration;
  }

  void Fail(std::string_view name, std::string_view text, std::string why) {
    if (!status_.ok()) return;
    status_ = base::InvalidArgument(std::string(kPrefix) + std::string(name) + ": '" + std::string(text) + "' " +
                                    std::move(why));
  }

 private:
  const StringMap& annotations_;
  base::Status status_;
};

KnativeSettings::Metric ReadMetric(const ComponentExtension& extension, AnnotationReader& reader) {
  const std::string* annotation = reader.Find("metric");
  const std::string metric = extension.scale_metric.value_or(annotation == nullptr ? "concurrency" : *annotation);
  if (metric == "rps") return KnativeSettings::Metric::kRequestsPerSecond;
  if (metric != "concurrency") reader.Fail("metric", metric, "is no metric of Knative's own autoscaler");
  return KnativeSettings::Metric::kConcurrency;
}

// Sets the capacity and the target of one pod.
void SetTarget(const ComponentExtension& extension, AnnotationReader& reader, KnativeSettings& settings) {
  const bool concurrency = settings.metric == KnativeSettings::Metric::kConcurrency;
  settings.container_concurrency = extension.container_concurrency.value_or(0);
  const auto limit = static_cast<double>(settings.container_concurrency);
  if (!concurrency) {
    settings.total_value = kDefaultRequestsPerSecond;
  } else if (limit > 0) {
    settings.total_value = limit;
  }
  double target = 0;
  reader.ReadNumber("target", kTargetMin, 1e9, target);
  if (extension.scale_target.has_value()) target = static_cast<double>(*extension.scale_target);
  if (target > 0) settings.total_value = concurrency && limit > 0 ? std::min(target, limit) : target;
  double utilization = kDefaultUtilization * kPercent;
  reader.ReadNumber("target-utilization-percentage", 1, kPercent, utilization);
  settings.target_value = std::max(kTargetMin, settings.total_value * utilization / kPercent);
}

}  // namespace

base::Result<ScaleTime> ParseGoDuration(std::string_view text) {
  const std::string whole(text);
  const auto malformed = [&] { return std::unexpected(base::InvalidArgument("'" + whole + "' is no duration")); };
  if (text == "0") return ScaleTime(0);
  double milliseconds = 0;
  if (text.empty()) return malformed();
  while (!text.empty()) {
    double number = 0;
    const auto [parsed, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0)) return malformed();
    text.remove_prefix(static_cast<size_t>(parsed - text.data()));
    const auto unit = std::ranges::find_if(kUnits, [&](const DurationUnit& one) { return text.starts_with(one.name); });
    if (unit == kUnits.end()) return malformed();
    text.remove_prefix(unit->name.size());
    milliseconds += number * unit->milliseconds;
  }
  constexpr double kMax = 1e15;
  if (!(milliseconds <= kMax)) return malformed();
  return ScaleTime(std::llround(milliseconds));
}

base::Result<KnativeSettings> KnativeSettingsOf(const ComponentExtension& extension, const StringMap& annotations) {
  using std::chrono::hours;
  using std::chrono::seconds;
  KnativeSettings settings{.min_scale = 1};
  AnnotationReader reader(annotations);
  reader.ReadInteger("min-scale", 0, settings.min_scale);
  reader.ReadInteger("max-scale", 0, settings.max_scale);
  reader.ReadInteger("initial-scale", 0, settings.initial_scale);
  reader.ReadInteger("activation-scale", 1, settings.activation_scale);
  reader.ReadNumber("target-burst-capacity", -1, 1e9, settings.target_burst_capacity);
  reader.ReadDuration("window", seconds(6), hours(1), settings.stable_window);
  reader.ReadDuration("scale-down-delay", seconds(0), hours(1), settings.scale_down_delay);
  reader.ReadDuration("scale-to-zero-pod-retention-period", seconds(0), hours(1), settings.pod_retention);
  double panic_window_percentage = 10;
  double panic_threshold_percentage = 200;
  reader.ReadNumber("panic-window-percentage", 1, kPercent, panic_window_percentage);
  reader.ReadNumber("panic-threshold-percentage", 110, 1000, panic_threshold_percentage);
  settings.panic_threshold = panic_threshold_percentage / kPercent;
  const double panic_ms = static_cast<double>(settings.stable_window.count()) * panic_window_percentage / kPercent;
  settings.panic_window = std::max<ScaleTime>(seconds(1), ScaleTime(std::llround(panic_ms)));
  settings.metric = ReadMetric(extension, reader);
  SetTarget(extension, reader, settings);
  if (extension.min_replicas.has_value()) settings.min_scale = *extension.min_replicas;
  if (extension.max_replicas > 0) settings.max_scale = extension.max_replicas;
  INFERD_RETURN_IF_ERROR(reader.status());
  return settings;
}

}  // namespace inferd::model
