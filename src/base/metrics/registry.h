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

// Label names and values, in the order they are printed. Values come from configurations and our own tables, never from
// what a request names.
using Labels = std::vector<std::pair<std::string, std::string>>;

// Thread-safe; relaxed atomics.
class Counter {
 public:
  void Add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

// Thread-safe; relaxed atomics.
class Gauge {
 public:
  void Set(int64_t v) { value_.store(v, std::memory_order_relaxed); }
  void Add(int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

// Fixed upper bounds, in the unit the family's name ends with. Thread-safe: a bucket search and two relaxed adds per
// Observe, so that a reader may see a sum and a count that differ by observations under way.
class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds);
  void Observe(double value);

  struct Snapshot {
    std::vector<uint64_t> cumulative;  // one more than bounds: the last is +Inf, the count
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

// Families by name, series by labels, written as Prometheus text (exposition format 0.0.4). Thread-safe.
//
// Adding a series that exists gives the handle that is already there, or a histogram of other bounds a new one in its
// place. A handle stays usable after Remove; its series is just no longer printed. Series belong together by their
// first label, the model's name where there are models: what adding and removing costs goes with the series of one such
// group, not with those that there are.
class Registry {
 public:
  Registry();
  ~Registry();

  std::shared_ptr<Counter> AddCounter(std::string_view name, std::string_view help, Labels labels);
  std::shared_ptr<Gauge> AddGauge(std::string_view name, std::string_view help, Labels labels);
  std::shared_ptr<Histogram> AddHistogram(std::string_view name, std::string_view help, Labels labels,
                                          std::span<const double> bounds);

  enum class CallbackKind { kCounter, kGauge };
  // A value read when the page is written, under the registry's lock: `read` must not call back into it. The lock is
  // held for one family at a time.
  void AddCallback(CallbackKind kind, std::string_view name, std::string_view help, Labels labels,
                   std::function<double()> read);

  // Drops every series with the first of `labels` as its own first label, and all the others among its labels: an
  // unloaded model version's.
  void Remove(const Labels& labels);

  // Drops that series alone. Once a family has none, another kind may have its name.
  void RemoveSeries(std::string_view name, const Labels& labels);
  // Whether any series has that name.
  bool Has(std::string_view name) const;

  // The counters of that name, of all labels together; 0: there are none.
  uint64_t CounterTotal(std::string_view name) const;

  std::string PrometheusText() const;

 private:
  struct Series;
  struct Family;
  // A series, and where it is printed.
  struct Place {
    Family* family;
    std::list<Series>::iterator series;
  };
  using Groups = std::unordered_map<std::string, std::vector<Place>>;

  Series& SeriesOf(std::string_view name, std::string_view help, std::string_view type, Labels labels) REQUIRES(mutex_);

  mutable base::Mutex mutex_;
  std::vector<std::unique_ptr<Family>> families_ GUARDED_BY(mutex_);  // in the order in which they came; they stay
  std::map<std::string, Family*, std::less<>> families_by_name_ GUARDED_BY(mutex_);
  Groups groups_ GUARDED_BY(mutex_);  // by first label
};

}  // namespace inferd::metrics
