#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace inferd::metrics {

// Label names and values, in the order in which they are printed. Values come from configurations and from our own
// tables, never from requests.
using Labels = std::vector<std::pair<std::string, std::string>>;

// A counter. Thread-safe, with relaxed atomics.
class Counter {
 public:
  void Add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// A gauge. Thread-safe, with relaxed atomics.
class Gauge {
 public:
  void Set(int64_t v) { value_.store(v, std::memory_order_relaxed); }
  void Add(int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

// A histogram with fixed upper bounds, in the unit that the family's name ends with. Thread-safe: Observe() is a bucket
// search and two relaxed additions. A reader may see a sum and a count that differ by observations in progress.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds);
  void Observe(double value);

  struct Snapshot {
    std::vector<uint64_t> cumulative;  // one more than the bounds: the last is +Inf, the total count
    double sum = 0;
  };
  Snapshot Read() const;
  std::span<const double> bounds() const { return bounds_; }

 private:
  std::vector<double> bounds_;
  std::unique_ptr<std::atomic<uint64_t>[]> buckets_;
  std::atomic<double> sum_{0};
};

// Upper bounds for latencies in seconds, 50 us to 60 s.
std::span<const double> LatencyBoundsSeconds();

// Metric families by name and their series by labels, written as Prometheus text (exposition format 0.0.4).
// Thread-safe.
// | Adding a series that exists returns its handle; a histogram with other bounds is replaced by a new one. After
// Remove() a handle stays usable, but its series is no longer printed. Series are grouped by their first label, which
// is the model's name where there is one. The cost of adding and removing depends on the size of that group, not on the
// number of all series.
class Registry {
 public:
  Registry();
  ~Registry();

  std::shared_ptr<Counter> AddCounter(std::string_view name, std::string_view help, Labels labels);
  std::shared_ptr<Gauge> AddGauge(std::string_view name, std::string_view help, Labels labels);
  std::shared_ptr<Histogram> AddHistogram(std::string_view name, std::string_view help, Labels labels,
                                          std::span<const double> bounds);

  enum class CallbackKind { kCounter, kGauge };
  // Adds a value that is read when the page is written. `read` runs under the registry's lock and must not call back
  // into it. The lock is held for one family at a time.
  void AddCallback(CallbackKind kind, std::string_view name, std::string_view help, Labels labels,
                   std::function<double()> read);

  // Drops every series whose first label equals the first of `labels` and whose labels contain all the others, for
  // example those of an unloaded model version.
  void Remove(const Labels& labels);

  // Drops that series only. When a family has no series left, its name may be used for another kind.
  void RemoveSeries(std::string_view name, const Labels& labels);
  // Returns true if any series has that name.
  bool Has(std::string_view name) const;

  // Returns the sum of the counters of that name over all labels, or 0 if there are none.
  uint64_t CounterTotal(std::string_view name) const;

  std::string PrometheusText() const;

 private:
  struct Series;
  struct Family;
  // A series, and its position in the page.
  struct Place {
    Family* family;
    std::list<Series>::iterator series;
  };
  using Groups = std::unordered_map<std::string, std::vector<Place>>;

  Series& SeriesOf(std::string_view name, std::string_view help, std::string_view type, Labels labels) REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  std::vector<std::unique_ptr<Family>> families_ GUARDED_BY(mutex_);  // in order of creation; never removed
  std::map<std::string, Family*, std::less<>> families_by_name_ GUARDED_BY(mutex_);
  Groups groups_ GUARDED_BY(mutex_);  // by first label
};

}  // namespace inferd::metrics
