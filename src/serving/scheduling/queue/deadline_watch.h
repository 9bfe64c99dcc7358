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

// Wakes schedulers when a waiting request's time is up. One thread for all of them, which sleeps while nothing is
// armed. Thread-safe.
class DeadlineWatch final {
 public:
  using Id = uint64_t;
  // Answers what is due; returns when to be called again, in base::Clock::NowNs, 0: when armed again.
  using Expire = std::function<int64_t()>;

  // `threaded` false: nothing runs but by RunDue(), for tests with a fake clock. The clock outlives this.
  explicit DeadlineWatch(const base::Clock& clock, bool threaded = true);
  ~DeadlineWatch();

  Id Add(Expire expire);
  // Returns when the callback is not running and never will again. Not from within it.
  void Remove(Id id);
  // Calls the callback at `at_ns` or soon after it, unless it is to be called earlier already.
  void Arm(Id id, int64_t at_ns);

  // Runs every callback that is due.
  void RunDue();

 private:
  using Armed = std::set<std::pair<int64_t, Id>>;  // by time

  struct Entry {
    Expire expire;
    int64_t at_ns = 0;  // 0: not armed
    bool running = false;
    Armed::node_type spare = {};  // of `armed_`, while it is not armed: arming it again takes no memory
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
  // A wake costs what is due, however many models there are.
  Armed armed_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace inferd::scheduling
