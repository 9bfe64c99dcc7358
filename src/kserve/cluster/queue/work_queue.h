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

// A queue of object names for several threads. A name that is added twice before it is taken is processed once. A name
// that is added while a thread processes it is processed again afterwards. Two threads never process the same name at
// once.
//
//   while (auto name = queue.Take(stop)) Reconcile(*name) ? queue.Done(*name) : queue.Retry(*name);
//
// Thread-safe.
class WorkQueue final {
 public:
  using Key = kubernetes::ObjectName;

  struct Options {
    std::chrono::milliseconds first_retry{50};  // pause after the first failure; doubles with each further failure
    std::chrono::milliseconds retry_max{5 * 60'000};
  };

  // The clock must outlive the queue.
  WorkQueue(Options options, const base::Clock& clock) : options_(options), clock_(clock) {}

  // Appends the name to the queue. Cancels a delay of the name.
  void Add(const Key& key);
  // Appends the name after that time, unless it is added before.
  void AddAfter(const Key& key, std::chrono::milliseconds time);

  // Takes the next name. The caller must process it, and then call Done or Retry. Nullopt if no name is due, or if the
  // queue is paused.
  std::optional<Key> TryTake();
  // Blocks until a name is available, and takes it. Nullopt if a stop was requested.
  std::optional<Key> Take(const std::stop_token& stop);

  // Reports success. Resets the retry delay of the name.
  void Done(const Key& key);
  // Reports a failure. The name is queued again after the retry delay, or at once if it was added meanwhile.
  void Retry(const Key& key);

  // While the queue is paused, no name is taken.
  void SetPaused(bool paused);

  size_t waiting() const;  // names that could be taken now, including overdue delays
  size_t retries() const;  // names whose last attempt failed

 private:
  struct Entry {
    bool ready = false;
    bool taken = false;
    bool again = false;  // added while a thread processes it
    int failures = 0;
    int64_t due_ns = 0;  // 0 if it has no delay
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
