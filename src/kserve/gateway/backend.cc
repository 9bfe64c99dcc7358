#include "kserve/gateway/backend.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"

namespace inferd::gateway {

struct Backend::Wait::Waiter {
  Waiter(net::Loop& whose, Granted what) : loop(whose), granted(std::move(what)) {}

  net::Loop& loop;
  Granted granted;     // used by the loop only; empty after cancellation
  bool queued = true;  // guarded by the backend's lock
};

struct Backend::Granting {
  std::shared_ptr<Wait::Waiter> waiter;
  Lease lease;
};

std::string GoneText(const std::string& name) { return "'" + name + "' is not there any more"; }

void Lease::Release() {
  if (replica_ == nullptr) return;
  backend_->Release(replica_);
  replica_ = nullptr;
  backend_ = nullptr;
}

Backend::Wait::~Wait() {
  waiter_->granted = nullptr;
  const base::MutexLock lock(backend_->mutex_);
  if (!waiter_->queued) return;
  std::erase(backend_->waiting_, waiter_);
  backend_->Count(-1);
}

Backend::Backend(std::string name, BackendOptions options, std::function<void()> on_demand)
    : name_(std::move(name)),
      options_(options),
      on_demand_(std::move(on_demand)),
      looked_ns_(base::SystemClock().NowNs()),
      counted_ns_(looked_ns_) {}

Backend::~Backend() = default;

base::Result<Backend::Place> Backend::Acquire(net::Loop& loop, Granted granted, const Replica* not_on) {
  Place place;
  bool on_demand = false;
  {
    const base::MutexLock lock(mutex_);
    if (closed_) return std::unexpected(base::Unavailable(GoneText(name_)));
    // Waiting requests arrived earlier and go first.
    if (waiting_.empty()) {
      if (std::shared_ptr<Replica> replica = FindFree(not_on)) {
        ++replica->in_flight;
        ++arrived_;
        Count(1);
        place.lease = Lease(shared_from_this(), std::move(replica));
        return place;
      }
    }
    if (waiting_.size() >= options_.waiting_max) {
      return std::unexpected(base::ResourceExhausted("too many requests wait for a replica of '" + name_ + "'"));
    }
    auto waiter = std::make_shared<Wait::Waiter>(loop, std::move(granted));
    waiting_.push_back(waiter);
    ++arrived_;
    Count(1);
    place.wait.reset(new Wait(shared_from_this(), std::move(waiter)));
    on_demand = replicas_.empty();
  }
  if (on_demand && on_demand_ != nullptr) on_demand_();
  return place;
}

std::shared_ptr<Replica> Backend::FindFree(const Replica* not_on) {
  const std::shared_ptr<Replica>* best = nullptr;
  for (size_t i = 0; i < replicas_.size(); ++i) {
    const std::shared_ptr<Replica>& replica = replicas_[(next_ + i) % replicas_.size()];
    if (replica->requests_max > 0 && replica->in_flight >= replica->requests_max) continue;
    if (replica.get() == not_on) continue;
    if (best == nullptr || replica->in_flight < (*best)->in_flight) best = &replica;
  }
  ++next_;
  if (best != nullptr) return *best;
  return not_on == nullptr ? nullptr : FindFree(nullptr);
}

void Backend::Release(const std::shared_ptr<Replica>& replica) {
  std::vector<Granting> granted;
  {
    const base::MutexLock lock(mutex_);
    --replica->in_flight;
    Count(-1);
    if (replica->leaving && replica->in_flight == 0) std::erase(leaving_, replica);
    granted = GrantWaiting();
  }
  Tell(std::move(granted));
}

void Backend::Close() {
  std::vector<Granting> refused;
  {
    const base::MutexLock lock(mutex_);
    closed_ = true;
    for (std::shared_ptr<Wait::Waiter>& waiter : std::exchange(waiting_, {})) {
      waiter->queued = false;
      Count(-1);
      refused.push_back({std::move(waiter), Lease()});
    }
  }
  Tell(std::move(refused));
}

void Backend::SetReplicas(std::vector<ReplicaPlace> places) {
  std::vector<Granting> granted;
  {
    const base::MutexLock lock(mutex_);
    std::vector<std::shared_ptr<Replica>> before = std::exchange(replicas_, {});
    for (ReplicaPlace& place : places) {
      const size_t requests_max = place.requests_max.value_or(options_.replica_concurrency);
      const auto found = std::ranges::find_if(before, [&](const auto& replica) {
        return replica != nullptr && replica->address.text() == place.address.text();
      });
      replicas_.push_back(found == before.end()
                              ? std::make_shared<Replica>(std::move(place.address), std::move(place.grpc_address))
                              : std::move(*found));
      replicas_.back()->requests_max = requests_max;
    }
    for (std::shared_ptr<Replica>& replica : before) {
      if (replica == nullptr) continue;
      replica->leaving = true;
      if (replica->in_flight > 0) leaving_.push_back(std::move(replica));
    }
    granted = GrantWaiting();
  }
  Tell(std::move(granted));
}

std::vector<Backend::Granting> Backend::GrantWaiting() {
  std::vector<Granting> granted;
  while (!waiting_.empty()) {
    std::shared_ptr<Replica> replica = FindFree(nullptr);
    if (replica == nullptr) break;
    ++replica->in_flight;
    std::shared_ptr<Wait::Waiter> waiter = std::move(waiting_.front());
    waiting_.pop_front();
    waiter->queued = false;
    granted.push_back({std::move(waiter), Lease(shared_from_this(), std::move(replica))});
  }
  return granted;
}

void Backend::Tell(std::vector<Granting> granted) {
  for (Granting& each : granted) {
    net::Loop& loop = each.waiter->loop;
    loop.Post([waiter = std::move(each.waiter), lease = std::move(each.lease)]() mutable {
      // If the request was cancelled, the lease's destructor passes the slot to the next one.
      if (Granted told = std::exchange(waiter->granted, nullptr)) told(std::move(lease));
    });
  }
}

size_t Backend::replicas() const {
  const base::MutexLock lock(mutex_);
  return replicas_.size();
}

size_t Backend::waiting() const {
  const base::MutexLock lock(mutex_);
  return waiting_.size();
}

size_t Backend::InFlightOn(const std::string& address) const {
  const base::MutexLock lock(mutex_);
  size_t in_flight = 0;
  for (const auto* list : {&replicas_, &leaving_}) {
    for (const std::shared_ptr<Replica>& replica : *list) {
      if (replica->address.text() == address) in_flight += replica->in_flight;
    }
  }
  return in_flight;
}

void Backend::Count(int64_t change) {
  const int64_t now_ns = base::SystemClock().NowNs();
  request_ns_ += static_cast<double>(in_flight_) * static_cast<double>(now_ns - counted_ns_);
  counted_ns_ = now_ns;
  in_flight_ = static_cast<size_t>(static_cast<int64_t>(in_flight_) + change);
}

BackendLoad Backend::TakeLoad(int64_t now_ns) {
  const base::MutexLock lock(mutex_);
  Count(0);
  const auto elapsed_ns = static_cast<double>(std::max<int64_t>(now_ns - std::exchange(looked_ns_, now_ns), 1));
  return {.concurrency = std::exchange(request_ns_, 0) / elapsed_ns,
          .rate = static_cast<double>(std::exchange(arrived_, 0)) / (elapsed_ns / 1e9),
          .in_flight = in_flight_,
          .waiting = waiting_.size()};
}

}  // namespace inferd::gateway
