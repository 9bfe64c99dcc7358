#include "serving/core/calls/custom_metrics.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

namespace inferd::core {

namespace {

using Kind = CustomMetricSpec::Kind;

bool IsName(std::string_view name, bool colons) {
  const auto begins = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colons && c == ':');
  };
  const auto goes_on = [&](char c) { return begins(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && begins(name.front()) && std::ranges::all_of(name, goes_on);
}

base::Status CheckSpec(const CustomMetricSpec& spec) {
  constexpr size_t kBytesMax = CustomMetrics::kTextBytesMax;
  if (!IsName(spec.name, true) || spec.name.size() > kBytesMax) {
    return base::InvalidArgument("'" + spec.name.substr(0, kBytesMax) + "' is no name of a metric");
  }
  if (spec.help.size() > kBytesMax) return base::InvalidArgument("the description of a metric is too long");
  if (spec.labels.size() > CustomMetrics::kLabelsMax) return base::InvalidArgument("a metric has too many labels");
  for (const auto& [name, value] : spec.labels) {
    if (!IsName(name, false) || name.size() > kBytesMax || name == "le" || name.starts_with("__")) {
      return base::InvalidArgument("'" + name.substr(0, kBytesMax) + "' is no name of a metric's label");
    }
    if (value.size() > kBytesMax) return base::InvalidArgument("the label '" + name + "' is too long");
  }
  if (spec.bounds.size() > CustomMetrics::kBoundsMax) return base::InvalidArgument("a metric has too many buckets");
  const auto rises = [](double a, double b) { return a < b; };
  if (std::ranges::adjacent_find(spec.bounds, std::not_fn(rises)) != spec.bounds.end() ||
      std::ranges::any_of(spec.bounds, [](double bound) { return std::isnan(bound); })) {
    return base::InvalidArgument("the buckets of a metric do not ascend");
  }
  return base::OkStatus();
}

base::Status NoSuchChange() { return base::InvalidArgument("metrics of this kind have no such operation"); }

}  // namespace

// A family of metrics. Open() also returns it for a family alone.
struct CustomMetrics::Family final : CustomMetric {
  Family(Kind of, std::string called, std::string says, metrics::Registry& in)
      : kind(of), name(std::move(called)), help(std::move(says)), registry(in) {}

  base::Result<double> Do(Change, double) override {
    return std::unexpected(base::InvalidArgument("a family of metrics has no value"));
  }

  const Kind kind;
  const std::string name;
  const std::string help;
  metrics::Registry& registry;
  base::Mutex mutex;
  std::map<metrics::Labels, std::weak_ptr<Metric>> series GUARDED_BY(mutex);
};

class CustomMetrics::Metric final : public CustomMetric {
 public:
  Metric(std::shared_ptr<Family> family, const CustomMetricSpec& spec)
      : family_(std::move(family)), labels_(spec.labels), value_(std::make_shared<std::atomic<double>>(0)) {
    metrics::Registry& registry = family_->registry;
    if (family_->kind == Kind::kHistogram) {
      histogram_ = registry.AddHistogram(family_->name, family_->help, labels_, spec.bounds);
      return;
    }
    const auto kind = family_->kind == Kind::kCounter ? metrics::Registry::CallbackKind::kCounter
                                                      : metrics::Registry::CallbackKind::kGauge;
    registry.AddCallback(kind, family_->name, family_->help, labels_, [value = value_] { return value->load(); });
  }
  ~Metric() override {
    const base::MutexLock lock(family_->mutex);
    const auto mine = family_->series.find(labels_);
    // A new metric may already have taken this one's place.
    if (mine == family_->series.end() || !mine->second.expired()) return;
    family_->series.erase(mine);
    family_->registry.RemoveSeries(family_->name, labels_);
  }

  bool HasBounds(const std::vector<double>& bounds) const {
    return histogram_ == nullptr || std::ranges::equal(histogram_->bounds(), bounds);
  }

  base::Result<double> Do(Change change, double value) override {
    if (family_->kind == Kind::kHistogram) {
      if (change != Change::kObserve) return std::unexpected(NoSuchChange());
      histogram_->Observe(value);
      return value;
    }
    switch (change) {
      case Change::kRead: return value_->load();
      case Change::kAdd:
        if (family_->kind == Kind::kCounter && !(value >= 0)) {
          return std::unexpected(base::InvalidArgument("a counter does not go down"));
        }
        return value_->fetch_add(value) + value;
      case Change::kSet:
        if (family_->kind != Kind::kGauge) break;
        value_->store(value);
        return value;
      case Change::kObserve: break;
    }
    return std::unexpected(NoSuchChange());
  }

 private:
  const std::shared_ptr<Family> family_;
  const metrics::Labels labels_;
  const std::shared_ptr<std::atomic<double>> value_;
  std::shared_ptr<metrics::Histogram> histogram_;  // null for other kinds
};

base::Result<std::shared_ptr<CustomMetrics::Family>> CustomMetrics::FamilyOf(const CustomMetricSpec& spec) {
  const auto known = families_.find(spec.name);
  if (std::shared_ptr<Family> family = known == families_.end() ? nullptr : known->second.lock()) {
    if (family->kind == spec.kind) return family;
    return std::unexpected(base::AlreadyExists("the metric '" + spec.name + "' is of another kind"));
  }
  if (known == families_.end() && registry_.Has(spec.name)) {
    return std::unexpected(base::InvalidArgument("the metric '" + spec.name + "' is the server's own"));
  }
  std::erase_if(families_, [](const auto& entry) { return entry.second.expired(); });
  if (families_.size() >= kFamiliesMax) {
    return std::unexpected(base::ResourceExhausted("there are too many metrics that models bring"));
  }
  auto family = std::make_shared<Family>(spec.kind, spec.name, spec.help, registry_);
  families_[spec.name] = family;
  return family;
}

base::Result<std::shared_ptr<CustomMetric>> CustomMetrics::Open(const CustomMetricSpec& spec) {
  INFERD_RETURN_IF_ERROR(CheckSpec(spec));
  CustomMetricSpec sorted = spec;
  std::ranges::sort(sorted.labels);
  const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::ranges::adjacent_find(sorted.labels, same_name) != sorted.labels.end()) {
    return std::unexpected(base::InvalidArgument("a metric has a label twice"));
  }
  std::shared_ptr<Family> family;
  {
    const base::MutexLock lock(mutex_);
    INFERD_ASSIGN_OR_RETURN(family, FamilyOf(sorted));
  }
  if (!spec.series) return family;
  const base::MutexLock lock(family->mutex);
  std::weak_ptr<Metric>& place = family->series[sorted.labels];
  if (std::shared_ptr<Metric> metric = place.lock()) {
    if (metric->HasBounds(sorted.bounds)) return metric;
    return std::unexpected(base::AlreadyExists("the metric '" + spec.name + "' has other buckets"));
  }
  if (family->series.size() > kSeriesMax) {
    family->series.erase(sorted.labels);
    return std::unexpected(base::ResourceExhausted("the metric '" + spec.name + "' has too many series"));
  }
  // The previous metric may still be on the page.
  registry_.RemoveSeries(spec.name, sorted.labels);
  auto metric = std::make_shared<Metric>(family, sorted);
  place = metric;
  return metric;
}

}  // namespace inferd::core
