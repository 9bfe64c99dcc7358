#include "serving/scheduling/instance_crew.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "serving/scheduling/held_threads.h"

namespace inferd::scheduling {

namespace {

// The time until the next try to start a thread.
constexpr int64_t kThreadRetryNs = 10'000'000;
// The time that requests wait for a thread before they are refused.
constexpr int64_t kThreadPatienceNs = 500'000'000;

}  // namespace

InstanceCrew::InstanceCrew(std::vector<std::unique_ptr<core::EngineInstance>> instances,
                           std::vector<InstancePlace> places, Limits limits, bool threads, const base::Clock& clock,
                           Main main)
    : threads_(threads), clock_(clock), main_(std::move(main)) {
  for (size_t i = 0; i < instances.size(); ++i) {
    InstanceWorker& worker = *workers_.emplace_back(std::make_unique<InstanceWorker>());
    worker.ordinal = static_cast<int>(i);
    worker.instance = std::move(instances[i]);
    worker.place = std::move(places[i]);
    if (worker.place.claim->free()) {
      worker.unfinished_max = limits.unfinished_max;
      worker.ahead_max = limits.ahead_max;
    }
    idle_.push_back(&worker);
  }
}

InstanceWorker& InstanceCrew::TakeIdle() {
  InstanceWorker& worker = *idle_.back();
  idle_.pop_back();
  return worker;
}

void InstanceCrew::MakeIdle(InstanceWorker& worker) {
  if (worker.unfinished == 0) {
    idle_.push_back(&worker);
  } else {
    idle_.insert(idle_.begin(), &worker);
  }
}

bool InstanceCrew::Wake(InstanceWorker& worker) {
  if (Signal(worker)) {
    ++woken_;
    return true;
  }
  idle_.push_back(&worker);
  const int64_t now_ns = clock_.NowNs();
  if (no_thread_ns_ == 0) no_thread_ns_ = now_ns;
  retry_ns_ = now_ns + kThreadRetryNs;
  return false;
}

bool InstanceCrew::HandOver(InstanceWorker& worker, const FormedBatch& batch) {
  worker.handed_over = batch;
  if (Signal(worker)) return true;
  worker.handed_over = {};
  return false;
}

void InstanceCrew::PutOff(InstanceWorker& worker, const FormedBatch& batch) {
  worker.put_off = batch;
  worker.put_off_ns = clock_.NowNs();
  put_off_due_ns_ = Earlier(put_off_due_ns_, worker.put_off_ns + HeldThreads::kHeldNs);
}

void InstanceCrew::HandOverPutOff(InstanceWorker& worker) {
  if (worker.put_off.execution != nullptr && HandOver(worker, worker.put_off)) worker.put_off = {};
}

void InstanceCrew::OnTime(int64_t now_ns) {
  if (retry_ns_ <= now_ns) retry_ns_ = 0;
  if (put_off_due_ns_ == 0 || put_off_due_ns_ > now_ns) return;
  put_off_due_ns_ = 0;
  for (const auto& worker : workers_) {
    int64_t due_ns = worker->put_off_ns + HeldThreads::kHeldNs;
    if (due_ns <= now_ns) {
      HandOverPutOff(*worker);
      due_ns = now_ns + kThreadRetryNs;
    }
    if (worker->put_off.execution != nullptr) put_off_due_ns_ = Earlier(put_off_due_ns_, due_ns);
  }
}

InstanceWorker* InstanceCrew::FindSignalled() const {
  InstanceWorker* found = nullptr;
  for (const auto& worker : workers_) {
    if (worker->woken) found = worker.get();
  }
  return found;
}

bool InstanceCrew::LacksThreads(int64_t now_ns) const {
  if (no_thread_ns_ == 0 || now_ns - no_thread_ns_ < kThreadPatienceNs) return false;
  return std::ranges::none_of(workers_, [](const auto& worker) { return worker->thread.joinable(); });
}

// Call with the lock held: once it is released, the worker may answer the request, which may release the version.
// Returns false if no thread can be started.
bool InstanceCrew::Signal(InstanceWorker& worker) {
  worker.woken = true;
  worker.wake.NotifyOne();
  if (worker.thread.joinable() || !threads_) return true;
  try {
    worker.thread = std::thread([this, &worker] { main_(worker); });
    no_thread_ns_ = 0;
    return true;
  } catch (const std::system_error&) {
    worker.woken = false;
    return false;
  }
}

void InstanceCrew::EndAll() {
  for (const auto& worker : workers_) {
    worker->ending = true;
    worker->wake.NotifyAll();
  }
}

void InstanceCrew::JoinAll() {
  for (const auto& worker : workers_) {
    if (worker->thread.joinable()) worker->thread.join();
  }
}

}  // namespace inferd::scheduling
