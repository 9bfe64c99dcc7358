#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"

namespace inferd::scheduling {

// Wakes schedulers when a waiting request's time is up. Uses one thread for all schedulers, which sleeps while nothing
// is armed. Thread-safe.
class DeadlineWatch final {
 public:
  using Id = uint64_t;
  // Answers the requests that are due. Returns when to call it again, in base::Clock::NowNs, or 0 for when it is armed
  // again.
  using Expire = std::function<int64_t()>;

  // If `threaded` is false, only RunDue() calls callbacks, for tests with a fake clock. The clock outlives this object.
  explicit DeadlineWatch(const base::Clock& clock, bool threaded = true);
  ~DeadlineWatch();

  Id Add(Expire expire);
  // Returns when the callback is not running and never will again. Do not call from within the callback.
  void Remove(Id id);
  // Calls the callback at `at_ns` or soon after, unless it is already armed for an earlier time.
  void Arm(Id id, int64_t at_ns);

  // Runs every callback that is due.
  void RunDue();

 private:
  using Armed = std::set<std::pair<int64_t, Id>>;  // by time

  struct Entry {
    Expire expire;
    int64_t at_ns = 0;  // 0 if not armed
    bool running = false;
    Armed::node_type spare = {};  // node of `armed_`, kept while not armed, so that arming allocates no memory
  };

  void Run();
  void ArmLocked(Id id, Entry& entry, int64_t at_ns) REQUIRES(mutex_);
  void Disarm(Id id, Entry& entry) REQUIRES(mutex_);

  const base::Clock& clock_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  Id next_id_ GUARDED_BY(mutex_) = 1;
  int64_t sleeping_until_ns_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<Id, Entry> entries_ GUARDED_BY(mutex_);
  // Ordered by time: a wake costs only what is due, however many models there are.
  Armed armed_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace inferd::scheduling
