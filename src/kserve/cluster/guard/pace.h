#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "kserve/kubernetes/api/resource.h"

namespace inferd::cluster {

// The number of owners (services or graphs) that may be changed destructively for one cause.
struct PaceLimits {
  size_t at_once = 10;     // owners in the first minute of a cause,
  size_t percent = 20;     // or this percentage of all owners, if that is more
  size_t per_minute = 10;  // owners in each later minute; at least 1
};

// Returns the number of owners that may be changed in the first minute, given the number of all owners.
size_t FirstMinute(const PaceLimits& limits, size_t owners);

// A rate limiter for destructive changes, separate for each cause. Owners that must wait form one queue per cause,
// first in first out. In any 60 s, at most FirstMinute() owners are admitted for a cause; after the first minute of the
// cause, at most `per_minute`. A cause ends when its queue is empty and nothing was admitted for 60 s.
//
//   Ask() -> admitted: change the owner | held: Ask() again after `wait`, or Forget() if the change is not needed
//
// An owner that does not ask again within a minute after its wait loses its place. Thread-safe.
class Pace final {
 public:
  static constexpr std::chrono::seconds kMinute{60};

  struct Change {
    std::string cause;
    kubernetes::ObjectName owner;
    std::string wanted;  // digest of the owner's wanted state
  };
  struct Answer {
    bool is_admitted = false;
    bool waited = false;                // it was held by an earlier call
    std::chrono::milliseconds wait{0};  // estimate of the time until it is admitted
  };

  // The clock must outlive this.
  Pace(PaceLimits limits, const base::Clock& clock) : limits_(limits), clock_(clock) {}

  // Decides whether the change may be made now. If the same change of the owner was admitted within the last minute, it
  // is admitted again and not counted: the write failed, or its result has not arrived yet. `owners` is the number of
  // all owners.
  Answer Ask(const Change& change, size_t owners);
  // Admits a change without counting it, for example a user's own change.
  void Admit(const Change& change);
  // Removes the owner from the queues. Call when the owner has its wanted state, or is gone.
  void Forget(const kubernetes::ObjectName& owner);
  // Empties all queues, and forgets what was admitted.
  void Clear();

  // Returns the number of waiting owners for each cause, including earlier causes.
  std::map<std::string, size_t> Waiting() const;
  const PaceLimits& limits() const { return limits_; }

 private:
  struct Place {
    kubernetes::ObjectName owner;
    int64_t until_ns = 0;  // when the place is lost
  };
  struct Queue {
    int64_t begun_ns = 0;            // start of the cause
    std::deque<int64_t> admitted{};  // times of the admissions within the last minute
    std::map<uint64_t, Place> places{};
  };
  struct Held {
    std::string cause;
    uint64_t place = 0;
  };
  struct Admitted {
    std::string wanted;
    int64_t at_ns = 0;
  };

  bool WasAdmitted(const Change& change, int64_t now_ns) REQUIRES(mutex_);
  void AdmitLocked(const Change& change, int64_t now_ns) REQUIRES(mutex_);
  void ForgetLocked(const kubernetes::ObjectName& owner) REQUIRES(mutex_);
  void DropLost(Queue& queue, int64_t now_ns) REQUIRES(mutex_);
  size_t Limit(const Queue& queue, size_t owners, int64_t now_ns) const;
  // Estimates when a change is admitted that has `before` others before it, in addition to the `free` ones that may go
  // now.
  int64_t TimeOf(const Queue& queue, size_t free, size_t before, int64_t now_ns) const;

  const PaceLimits limits_;
  const base::Clock& clock_;
  mutable base::Mutex mutex_;
  uint64_t next_place_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Queue> queues_ GUARDED_BY(mutex_);  // by cause
  std::map<kubernetes::ObjectName, Held> held_ GUARDED_BY(mutex_);
  std::map<kubernetes::ObjectName, Admitted> admitted_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cluster
