#include "serving/cache/flights.h"

#include <algorithm>
#include <utility>

namespace inferd::cache {

namespace {

// The maximum time until a cancelled follower is noticed.
constexpr int64_t kCancelPollNs = 10'000'000;

bool IsGivenUp(const core::InferRequest& request, int64_t now_ns) {
  return (request.cancel != nullptr && request.cancel->cancelled()) ||
         (request.deadline_ns != 0 && request.deadline_ns <= now_ns);
}

}  // namespace

int64_t Flights::LookAtNs(const core::InferRequest& request, int64_t now_ns) {
  if (request.cancel == nullptr) return request.deadline_ns;
  const int64_t poll_ns = now_ns + kCancelPollNs;
  return request.deadline_ns == 0 ? poll_ns : std::min(poll_ns, request.deadline_ns);
}

Flights::Joined Flights::Join(const RequestKey& key, uint64_t level, Follower& follower) {
  base::MutexLock lock(mutex_);
  const auto found = flights_.find(key.hash());
  if (found == flights_.end()) return Joined::kLeads;
  Flight& flight = *found->second;
  const uint64_t timeout_us = follower.queued.request->timeout_us;
  const bool in_time = timeout_us == 0 || (flight.timeout_us != 0 && flight.timeout_us <= timeout_us);
  if (!in_time || level < flight.level || !flight.key->Equals(key)) return Joined::kAlone;
  flight.followers.push_back(std::move(follower));
  return Joined::kFollows;
}

std::shared_ptr<Flights::Flight> Flights::Begin(std::shared_ptr<const StoredKey> key, uint64_t level,
                                                uint64_t timeout_us) {
  auto flight = std::make_shared<Flight>();
  flight->key = std::move(key);
  flight->level = level;
  flight->timeout_us = timeout_us;
  base::MutexLock lock(mutex_);
  const bool first = flights_.emplace(flight->key->hash(), flight).second;
  return first ? flight : nullptr;
}

std::vector<Follower> Flights::End(const std::shared_ptr<Flight>& flight) {
  base::MutexLock lock(mutex_);
  if (const auto found = flights_.find(flight->key->hash()); found != flights_.end() && found->second == flight) {
    flights_.erase(found);
  }
  return std::exchange(flight->followers, {});
}

std::vector<Follower> Flights::TakeGivenUp(int64_t now_ns, int64_t* next_ns) {
  std::vector<Follower> given_up;
  *next_ns = 0;
  base::MutexLock lock(mutex_);
  for (auto& [hash, flight] : flights_) {
    auto keep = flight->followers.begin();
    for (Follower& follower : flight->followers) {
      const core::InferRequest& request = *follower.queued.request;
      if (IsGivenUp(request, now_ns)) {
        given_up.push_back(std::move(follower));
        continue;
      }
      const int64_t look_ns = LookAtNs(request, now_ns);
      if (look_ns != 0 && (*next_ns == 0 || look_ns < *next_ns)) *next_ns = look_ns;
      if (&*keep != &follower) *keep = std::move(follower);
      ++keep;
    }
    flight->followers.erase(keep, flight->followers.end());
  }
  return given_up;
}

size_t Flights::size() const {
  base::MutexLock lock(mutex_);
  return flights_.size();
}

}  // namespace inferd::cache
