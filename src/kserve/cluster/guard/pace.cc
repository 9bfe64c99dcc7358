#include "kserve/cluster/guard/pace.h"

#include <algorithm>
#include <iterator>

namespace inferd::cluster {

namespace {

constexpr int64_t kMinuteNs = std::chrono::nanoseconds(Pace::kMinute).count();
constexpr int64_t kNsPerMs = 1'000'000;
constexpr size_t kWhole = 100;
// Prevents frequent calls when an estimate was too early.
constexpr std::chrono::milliseconds kWaitMin{1'000};

}  // namespace

size_t FirstMinute(const PaceLimits& limits, size_t owners) {
  return std::max(limits.at_once, owners * limits.percent / kWhole);
}

Pace::Answer Pace::Ask(const Change& change, size_t owners) {
  const base::MutexLock lock(mutex_);
  const int64_t now_ns = clock_.NowNs();
  const auto held = held_.find(change.owner);
  const bool waited = held != held_.end();
  if (WasAdmitted(change, now_ns)) {
    ForgetLocked(change.owner);
    return {.is_admitted = true, .waited = waited};
  }
  if (waited && held->second.cause != change.cause) ForgetLocked(change.owner);
  Queue& queue = queues_[change.cause];
  while (!queue.admitted.empty() && queue.admitted.front() + kMinuteNs <= now_ns) queue.admitted.pop_front();
  DropLost(queue, now_ns);
  if (queue.admitted.empty() && queue.places.empty()) queue.begun_ns = now_ns;

  const auto mine = held_.find(change.owner);
  const auto place = mine == held_.end() ? queue.places.end() : queue.places.find(mine->second.place);
  const auto before = static_cast<size_t>(std::distance(queue.places.begin(), place));
  const size_t limit = Limit(queue, owners, now_ns);
  const size_t free = limit - std::min(limit, queue.admitted.size());
  if (before < free) {
    queue.admitted.push_back(now_ns);
    ForgetLocked(change.owner);
    AdmitLocked(change, now_ns);
    return {.is_admitted = true, .waited = waited};
  }
  const std::chrono::milliseconds wait = std::max(
      kWaitMin, std::chrono::milliseconds((TimeOf(queue, free, before - free, now_ns) - now_ns) / kNsPerMs + 1));
  const int64_t until_ns = now_ns + std::chrono::nanoseconds(wait).count() + kMinuteNs;
  if (place != queue.places.end()) {
    place->second.until_ns = until_ns;
  } else {
    queue.places.emplace(next_place_, Place{.owner = change.owner, .until_ns = until_ns});
    held_.insert_or_assign(change.owner, Held{.cause = change.cause, .place = next_place_++});
  }
  return {.is_admitted = false, .waited = waited, .wait = wait};
}

void Pace::Admit(const Change& change) {
  const base::MutexLock lock(mutex_);
  ForgetLocked(change.owner);
  AdmitLocked(change, clock_.NowNs());
}

void Pace::Forget(const kubernetes::ObjectName& owner) {
  const base::MutexLock lock(mutex_);
  ForgetLocked(owner);
  admitted_.erase(owner);
}

void Pace::Clear() {
  const base::MutexLock lock(mutex_);
  for (auto& [cause, queue] : queues_) queue = {};
  held_.clear();
  admitted_.clear();
}

std::map<std::string, size_t> Pace::Waiting() const {
  std::map<std::string, size_t> waiting;
  const base::MutexLock lock(mutex_);
  const int64_t now_ns = clock_.NowNs();
  for (const auto& [cause, queue] : queues_) {
    const auto waits = [&](const auto& place) { return place.second.until_ns > now_ns; };
    waiting.emplace(cause, static_cast<size_t>(std::ranges::count_if(queue.places, waits)));
  }
  return waiting;
}

bool Pace::WasAdmitted(const Change& change, int64_t now_ns) {
  const auto found = admitted_.find(change.owner);
  if (found == admitted_.end()) return false;
  if (found->second.at_ns + kMinuteNs > now_ns) return found->second.wanted == change.wanted;
  admitted_.erase(found);
  return false;
}

void Pace::AdmitLocked(const Change& change, int64_t now_ns) {
  admitted_.insert_or_assign(change.owner, Admitted{.wanted = change.wanted, .at_ns = now_ns});
}

void Pace::ForgetLocked(const kubernetes::ObjectName& owner) {
  const auto held = held_.find(owner);
  if (held == held_.end()) return;
  queues_[held->second.cause].places.erase(held->second.place);
  held_.erase(held);
}

// Only an expired place at the head of the queue blocks others.
void Pace::DropLost(Queue& queue, int64_t now_ns) {
  while (!queue.places.empty() && queue.places.begin()->second.until_ns <= now_ns) {
    held_.erase(queue.places.begin()->second.owner);
    queue.places.erase(queue.places.begin());
  }
}

size_t Pace::Limit(const Queue& queue, size_t owners, int64_t now_ns) const {
  return now_ns < queue.begun_ns + kMinuteNs ? FirstMinute(limits_, owners) : limits_.per_minute;
}

int64_t Pace::TimeOf(const Queue& queue, size_t free, size_t before, int64_t now_ns) const {
  // An admission frees its slot a minute later, so the last `per_minute` admissions decide. Owners ahead in the queue
  // take the slots that are free now.
  const size_t admitted = queue.admitted.size();
  const size_t taken = admitted + free + before % limits_.per_minute;
  const auto rounds = static_cast<int64_t>(before / limits_.per_minute);
  int64_t time_ns = queue.begun_ns + kMinuteNs;
  if (taken >= limits_.per_minute) {
    const size_t at = taken - limits_.per_minute;
    time_ns = std::max(time_ns, (at < admitted ? queue.admitted[at] : now_ns) + kMinuteNs);
  }
  return time_ns + rounds * kMinuteNs;
}

}  // namespace inferd::cluster
