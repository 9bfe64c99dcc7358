#include "base/metrics/registry.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace inferd::metrics {

namespace {

constexpr double kLatencyBounds[] = {0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                     0.1,     0.25,   0.5,     1,      2.5,   5,      10,    30,   60};

void AppendNumber(std::string& out, double value) {
  if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  out.append(text, end.ptr);
}

void AppendEscaped(std::string& out, std::string_view value, bool quote) {
  for (const char c : value) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (quote && c == '"') {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

// If `extra_name` is empty, no further label is printed.
void AppendSample(std::string& out, std::string_view name, std::string_view suffix, const Labels& labels,
                  std::string_view extra_name, std::string_view extra_value, double value) {
  out += name;
  out += suffix;
  char separator = '{';
  for (const auto& [key, text] : labels) {
    out += separator;
    out += key;
    out += "=\"";
    AppendEscaped(out, text, true);
    out += '"';
    separator = ',';
  }
  if (!extra_name.empty()) {
    out += separator;
    out += extra_name;
    out += "=\"";
    out += extra_value;
    out += '"';
    separator = ',';
  }
  if (separator == ',') out += '}';
  out += ' ';
  AppendNumber(out, value);
  out += '\n';
}

// Returns the group of a series: its first label. Series without labels form a group, too.
std::string GroupOf(const Labels& labels) {
  if (labels.empty()) return {};
  return labels.front().first + '=' + labels.front().second;
}

}  // namespace

std::span<const double> LatencyBoundsSeconds() { return kLatencyBounds; }

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds.begin(), bounds.end()), buckets_(new std::atomic<uint64_t>[bounds.size() + 1]()) {}

void Histogram::Observe(double value) {
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

Histogram::Snapshot Histogram::Read() const {
  Snapshot snapshot;
  uint64_t total = 0;
  for (size_t i = 0; i <= bounds_.size(); ++i) {
    total += buckets_[i].load(std::memory_order_relaxed);
    snapshot.cumulative.push_back(total);
  }
  snapshot.sum = sum_.load(std::memory_order_relaxed);
  return snapshot;
}

struct Registry::Series {
  Labels labels;
  std::shared_ptr<Counter> counter;
  std::shared_ptr<Gauge> gauge;
  std::shared_ptr<Histogram> histogram;
  std::function<double()> read;

  void Append(std::string& out, std::string_view name) const {
    if (counter) AppendSample(out, name, "", labels, "", "", static_cast<double>(counter->value()));
    if (gauge) AppendSample(out, name, "", labels, "", "", static_cast<double>(gauge->value()));
    if (read) AppendSample(out, name, "", labels, "", "", read());
    if (histogram) AppendHistogram(out, name);
  }

  void AppendHistogram(std::string& out, std::string_view name) const {
    const Histogram::Snapshot snapshot = histogram->Read();
    for (size_t i = 0; i < snapshot.cumulative.size(); ++i) {
      std::string bound;
      AppendNumber(bound, i < histogram->bounds().size() ? histogram->bounds()[i] : INFINITY);
      AppendSample(out, name, "_bucket", labels, "le", bound, static_cast<double>(snapshot.cumulative[i]));
    }
    AppendSample(out, name, "_sum", labels, "", "", snapshot.sum);
    AppendSample(out, name, "_count", labels, "", "", static_cast<double>(snapshot.cumulative.back()));
  }
};

struct Registry::Family {
  std::string name;
  std::string help;
  std::string type;
  std::list<Series> series;
};

Registry::Registry() = default;
Registry::~Registry() = default;

Registry::Series& Registry::SeriesOf(std::string_view name, std::string_view help, std::string_view type,
                                     Labels labels) {
  auto known = families_by_name_.find(name);
  if (known == families_by_name_.end()) {
    families_.push_back(std::make_unique<Family>(Family{std::string(name), std::string(help), std::string(type), {}}));
    known = families_by_name_.emplace(name, families_.back().get()).first;
  }
  Family* const family = known->second;
  if (family->series.empty()) {
    family->help = help;
    family->type = type;
  }
  std::vector<Place>& group = groups_[GroupOf(labels)];
  for (const Place& place : group) {
    if (place.family == family && place.series->labels == labels) return *place.series;
  }
  family->series.emplace_back();
  family->series.back().labels = std::move(labels);
  group.push_back({.family = family, .series = std::prev(family->series.end())});
  return family->series.back();
}

std::shared_ptr<Counter> Registry::AddCounter(std::string_view name, std::string_view help, Labels labels) {
  base::MutexLock lock(mutex_);
  Series& series = SeriesOf(name, help, "counter", std::move(labels));
  if (!series.counter) series.counter = std::make_shared<Counter>();
  return series.counter;
}

std::shared_ptr<Gauge> Registry::AddGauge(std::string_view name, std::string_view help, Labels labels) {
  base::MutexLock lock(mutex_);
  Series& series = SeriesOf(name, help, "gauge", std::move(labels));
  if (!series.gauge) series.gauge = std::make_shared<Gauge>();
  return series.gauge;
}

std::shared_ptr<Histogram> Registry::AddHistogram(std::string_view name, std::string_view help, Labels labels,
                                                  std::span<const double> bounds) {
  base::MutexLock lock(mutex_);
  Series& series = SeriesOf(name, help, "histogram", std::move(labels));
  if (!series.histogram || !std::ranges::equal(series.histogram->bounds(), bounds)) {
    series.histogram = std::make_shared<Histogram>(bounds);
  }
  return series.histogram;
}

void Registry::AddCallback(CallbackKind kind, std::string_view name, std::string_view help, Labels labels,
                           std::function<double()> read) {
  base::MutexLock lock(mutex_);
  const std::string_view type = kind == CallbackKind::kCounter ? "counter" : "gauge";
  SeriesOf(name, help, type, std::move(labels)).read = std::move(read);
}

void Registry::Remove(const Labels& labels) {
  base::MutexLock lock(mutex_);
  const auto group = groups_.find(GroupOf(labels));
  if (group == groups_.end()) return;
  const auto has_all = [&](const Series& series) {
    return std::ranges::all_of(
        labels, [&](const auto& label) { return std::ranges::find(series.labels, label) != series.labels.end(); });
  };
  std::erase_if(group->second, [&](const Place& place) {
    const bool removed = has_all(*place.series);
    if (removed) place.family->series.erase(place.series);
    return removed;
  });
  if (group->second.empty()) groups_.erase(group);
}

void Registry::RemoveSeries(std::string_view name, const Labels& labels) {
  base::MutexLock lock(mutex_);
  const auto group = groups_.find(GroupOf(labels));
  if (group == groups_.end()) return;
  std::erase_if(group->second, [&](const Place& place) {
    const bool removed = place.family->name == name && place.series->labels == labels;
    if (removed) place.family->series.erase(place.series);
    return removed;
  });
  if (group->second.empty()) groups_.erase(group);
}

bool Registry::Has(std::string_view name) const {
  base::MutexLock lock(mutex_);
  const auto family = families_by_name_.find(name);
  return family != families_by_name_.end() && !family->second->series.empty();
}

uint64_t Registry::CounterTotal(std::string_view name) const {
  base::MutexLock lock(mutex_);
  const auto family = families_by_name_.find(name);
  if (family == families_by_name_.end()) return 0;
  uint64_t total = 0;
  for (const Series& series : family->second->series) {
    if (series.counter) total += series.counter->value();
  }
  return total;
}

std::string Registry::PrometheusText() const {
  std::string out;
  for (size_t i = 0;; ++i) {
    base::MutexLock lock(mutex_);
    if (i == families_.size()) return out;
    const Family& family = *families_[i];
    if (family.series.empty()) continue;
    out += "# HELP " + family.name + ' ';
    AppendEscaped(out, family.help, false);
    out += "\n# TYPE " + family.name + ' ' + family.type + '\n';
    for (const Series& series : family.series) series.Append(out, family.name);
  }
}

}  // namespace inferd::metrics
