#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "serving/cache/request_key.h"
#include "serving/core/scheduler.h"

namespace inferd::cache {

// A request that waits for the answer to an equal one.
struct Follower {
  core::QueuedRequest queued;
  int64_t lookup_ns = 0;  // what looking for its answer took
};

// Requests that are on their way to an answer (leaders), and others with equal keys that wait for the same one
// (followers). Thread-safe; calls nothing.
class Flights final {
 public:
  // One leader. Its key lives as long as it.
  struct Flight {
    std::shared_ptr<const StoredKey> key;
    uint64_t level = 0;       // of its priority
    uint64_t timeout_us = 0;  // how long it may wait in its queue
    std::vector<Follower> followers;
  };

  enum class Joined {
    kFollows,  // the request was taken
    kLeads,    // nothing like it is on its way
    kAlone,    // it is not to wait for the one that is: that one is less urgent, or may wait for longer
  };
  // `follower.queued` is moved from if it follows only.
  Joined Join(const RequestKey& key, uint64_t level, Follower& follower);
  // Has others follow it. Null: one that is equal, or has its place, has begun meanwhile.
  std::shared_ptr<Flight> Begin(std::shared_ptr<const StoredKey> key, uint64_t level, uint64_t timeout_us);
  // Nothing follows it any more. Its followers.
  std::vector<Follower> End(const std::shared_ptr<Flight>& flight);

  // When a follower may first be one that TakeGivenUp() takes; 0: never.
  static int64_t LookAtNs(const core::InferRequest& request, int64_t now_ns);
  // Takes out followers that are not waited for any more. `next_ns`: when to look again; 0: when one joins.
  std::vector<Follower> TakeGivenUp(int64_t now_ns, int64_t* next_ns);

  size_t size() const;

 private:
  mutable base::Mutex mutex_;
  std::unordered_map<KeyHash, std::shared_ptr<Flight>, KeyHashHasher> flights_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cache
