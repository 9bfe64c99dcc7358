#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::cluster {

// Names of objects that are to be looked at, for several threads. A name that is added again while it waits is worked
// on once; one that is added while a thread works on it is worked on again afterwards, never by two threads at once.
//
//   while (auto name = queue.Take(stop)) Reconcile(*name) ? queue.Done(*name) : queue.Retry(*name);
//
// Thread-safe.
class WorkQueue final {
 public:
  using Key = kubernetes::ObjectName;

  struct Options {
    std::chrono::milliseconds first_retry{50};  // behind a failure; it doubles with each further one
    std::chrono::milliseconds retry_max{5 * 60'000};
  };

  // The clock outlives it.
  WorkQueue(Options options, const base::Clock& clock) : options_(options), clock_(clock) {}

  // It is worked on behind those that wait, at once where it waited for a time.
  void Add(const Key& key);
  // Likewise after that time, if it is not added before.
  void AddAfter(const Key& key, std::chrono::milliseconds time);

  // The next one, which this thread then works on until Done or Retry; nullopt: none is due, or the queue is paused.
  std::optional<Key> TryTake();
  // Waits for one. nullopt: `stop` was requested.
  std::optional<Key> Take(const std::stop_token& stop);

  // It was worked on; the next failure is its first one.
  void Done(const Key& key);
  // It failed: again after a pause, or at once where it was added meanwhile.
  void Retry(const Key& key);

  // While it is paused, nothing is taken.
  void SetPaused(bool paused);

  size_t waiting() const;  // that could be taken now, or are late
  size_t retries() const;  // those that failed at their last turn

 private:
  struct Entry {
    bool ready = false;
    bool taken = false;
    bool again = false;  // added while it is taken
    int failures = 0;
    int64_t due_ns = 0;  // 0: it does not wait for a time
  };

  void AddLocked(const Key& key) REQUIRES(mutex_);
  void DelayLocked(const Key& key, Entry& entry, std::chrono::nanoseconds time) REQUIRES(mutex_);
  void MoveDue() REQUIRES(mutex_);
  std::optional<Key> TryTakeLocked() REQUIRES(mutex_);
  void EraseIfIdle(const Key& key) REQUIRES(mutex_);

  const Options options_;
  const base::Clock& clock_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  bool paused_ GUARDED_BY(mutex_) = false;
  std::map<Key, Entry> entries_ GUARDED_BY(mutex_);
  std::deque<Key> ready_ GUARDED_BY(mutex_);
  std::set<std::pair<int64_t, Key>> due_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
