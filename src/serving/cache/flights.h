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

// A request that waits for the response to an equal one.
struct Follower {
  core::QueuedRequest queued;
  int64_t lookup_ns = 0;  // the time of its lookup
};

// The leading requests that are in flight, and the requests with equal keys that wait for their responses (followers).
// Thread-safe; calls no callbacks.
class Flights final {
 public:
  // A leader. Holds its key.
  struct Flight {
    std::shared_ptr<const StoredKey> key;
    uint64_t level = 0;       // of its priority
    uint64_t timeout_us = 0;  // how long the leader may wait in its queue
    std::vector<Follower> followers;
  };

  enum class Joined {
    kFollows,  // the request was taken
    kLeads,    // no equal request is in flight
    kAlone,    // an equal one is, but is less urgent, or may wait longer; or another key has its hash
  };
  // Lets a request follow the leader with an equal key. Moves from `follower.queued` only if it follows.
  Joined Join(const RequestKey& key, uint64_t level, Follower& follower);
  // Makes a request a leader. Null if another request with an equal key or the same hash has become one meanwhile.
  std::shared_ptr<Flight> Begin(std::shared_ptr<const StoredKey> key, uint64_t level, uint64_t timeout_us);
  // Ends a flight, which can have no more followers, and returns its followers.
  std::vector<Follower> End(const std::shared_ptr<Flight>& flight);

  // Returns when TakeGivenUp() may first have to take a follower. 0 if never.
  static int64_t LookAtNs(const core::InferRequest& request, int64_t now_ns);
  // Takes out followers that nobody waits for any more. Sets `next_ns` to the time of the next check, or to 0 if none
  // is needed until another follower joins.
  std::vector<Follower> TakeGivenUp(int64_t now_ns, int64_t* next_ns);

  size_t size() const;

 private:
  mutable base::Mutex mutex_;
  std::unordered_map<KeyHash, std::shared_ptr<Flight>, KeyHashHasher> flights_ GUARDED_BY(mutex_);
};

}  // namespace inferd::cache
