#include "serving/scheduling/resources/resource_arbiter.h"

#include <algorithm>
#include <cassert>
#include <chrono>

namespace inferd::scheduling {

namespace {

// The minimum charge of an execution: otherwise a model with short ones would always be served first.
constexpr int64_t kServiceNsMin = 1000;

}  // namespace

ResourceArbiter::ResourceArbiter(const config::ResourceOptions& options, int cpu_threads, int64_t patience_ns)
    : rate_limit_(options.rate_limit), patience_ns_(patience_ns), table_(options.limits, cpu_threads) {}

ResourceArbiter::~ResourceArbiter() = default;

base::Result<std::unique_ptr<ResourceArbiter::Claim>> ResourceArbiter::Register(ClaimSpec spec) {
  base::MutexLock lock(mutex_);
  INFERD_ASSIGN_OR_RETURN(std::vector<ResourceAmount> amounts,
                          table_.Add(rate_limit_ ? spec.needs : std::vector<Need>(), spec.cpu_threads));
  std::vector<ResourceTable::Resource*> resources;
  for (const ResourceAmount& amount : amounts) resources.push_back(&table_.at(amount.resource));
  const auto [it, is_new] = owners_.try_emplace(spec.owner);
  Owner& owner = it->second;
  if (is_new) owner.time = turns_.Newcomer();
  std::unique_ptr<Claim> claim(new Claim(*this, owner, std::move(spec), std::move(amounts), std::move(resources)));
  claim->time_ = owner.turns.Newcomer();
  owner.claims.push_back(claim.get());
  Dispatch();  // there may be more of a resource now
  return claim;
}

// Measured by its scarcest resource: using all of it for a second costs one second.
double ResourceArbiter::Cost(const Claim& claim, int64_t service_ns) {
  double share = 0;
  for (size_t i = 0; i < claim.amounts_.size(); ++i) {
    const double limit = static_cast<double>(std::max<int64_t>(claim.resources_[i]->limit, 1));
    share = std::max(share, static_cast<double>(claim.amounts_[i].count) / limit);
  }
  const double weight = std::max<uint32_t>(claim.spec_.priority, 1);
  return static_cast<double>(std::max(service_ns, kServiceNsMin)) * share * weight;
}

void ResourceArbiter::Charge(Claim& claim, int64_t service_ns) {
  const double cost = Cost(claim, service_ns) - claim.advance_;
  claim.owner_.time += cost;
  claim.time_ += cost;
  claim.advance_ = 0;
}

void ResourceArbiter::Grant(size_t waiting) {
  Claim& claim = *waiting_[waiting];
  StopWaiting(waiting);
  turns_.Grant(claim.owner_.time);
  claim.owner_.turns.Grant(claim.time_);
  // Charged in advance: otherwise all instances of an owner would get their turn before any use has counted.
  claim.advance_ = Cost(claim, claim.expected_ns_);
  claim.owner_.time += claim.advance_;
  claim.time_ += claim.advance_;
  claim.granted_ = true;
  claim.wake_.NotifyOne();
}

void ResourceArbiter::StopWaiting(size_t waiting) {
  std::swap(waiting_[waiting], waiting_.back());
  waiting_.pop_back();
  waiting_count_.store(static_cast<int>(waiting_.size()));
}

void ResourceArbiter::Dispatch() {
  std::vector<WaitingClaim> waiting;
  while (!waiting_.empty()) {
    waiting.clear();
    for (const Claim* claim : waiting_) {
      const bool owner_runs =
          std::ranges::any_of(claim->owner_.claims, [](const Claim* other) { return other->held_.load(); });
      waiting.push_back({.owner_time = claim->owner_.time,
                         .own_time = claim->time_,
                         .ticket = claim->ticket_,
                         .needs = claim->amounts_,
                         .overdraws = claim->impatient_ && !owner_runs});
    }
    const std::optional<size_t> next = NextGrant(waiting, table_.Levels());
    if (!next.has_value()) return;
    // If Take() fails, a claim that saw no waiter was faster. Check again; that claim dispatches when it gives back.
    if (waiting_[*next]->Take(waiting[*next].overdraws)) Grant(*next);
  }
}

bool ResourceArbiter::Wait(Claim& claim) {
  claim.owner_.time = turns_.Join(claim.owner_.time);
  claim.time_ = claim.owner_.turns.Join(claim.time_);
  claim.ticket_ = ++tickets_;
  claim.granted_ = false;
  claim.impatient_ = false;
  waiting_.push_back(&claim);
  waiting_count_.store(static_cast<int>(waiting_.size()));
  Dispatch();
  if (claim.granted_) return true;
  const auto patient_until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(patience_ns_);
  while (!claim.granted_ && !claim.cancelled_.load()) {
    if (!claim.needs_soft_ || claim.impatient_) {
      claim.wake_.Wait(mutex_);
    } else if (claim.wake_.WaitUntil(mutex_, patient_until) == std::cv_status::timeout && !claim.granted_) {
      claim.impatient_ = true;
      Dispatch();
    }
  }
  if (claim.granted_) return true;
  StopWaiting(static_cast<size_t>(std::ranges::find(waiting_, &claim) - waiting_.begin()));
  Dispatch();  // its reservations end
  return false;
}

ResourceArbiter::Claim::Claim(ResourceArbiter& arbiter, Owner& owner, ClaimSpec spec,
                              std::vector<ResourceAmount> amounts, std::vector<ResourceTable::Resource*> resources)
    : arbiter_(arbiter),
      owner_(owner),
      spec_(std::move(spec)),
      amounts_(std::move(amounts)),
      resources_(std::move(resources)),
      needs_soft_(std::ranges::any_of(resources_, [](const auto* resource) { return resource->soft; })) {}

ResourceArbiter::Claim::~Claim() {
  assert(!held_);
  base::MutexLock lock(arbiter_.mutex_);
  std::erase(owner_.claims, this);
  if (owner_.claims.empty()) arbiter_.owners_.erase(arbiter_.owners_.find(spec_.owner));
  arbiter_.table_.Remove(amounts_);
}

// Takes all or nothing. It may briefly hold a part: a claim that fails meanwhile and waits is seen when the part
// returns.
bool ResourceArbiter::Claim::Take(bool overdraws) {
  for (size_t i = 0; i < amounts_.size(); ++i) {
    ResourceTable::Resource& resource = *resources_[i];
    const int64_t floor = resource.soft && overdraws ? -resource.limit : 0;
    int64_t free = resource.free.load();
    while (free - amounts_[i].count >= floor && !resource.free.compare_exchange_weak(free, free - amounts_[i].count)) {
    }
    if (free - amounts_[i].count < floor) {
      GiveBack(i);
      return false;
    }
  }
  held_.store(true);
  return true;
}

void ResourceArbiter::Claim::GiveBack(size_t count) {
  for (size_t i = 0; i < count; ++i) resources_[i]->free.fetch_add(amounts_[i].count);
}

void ResourceArbiter::Claim::Learn(int64_t service_ns) { expected_ns_ += (service_ns - expected_ns_) / 4; }

bool ResourceArbiter::Claim::TryAcquire() {
  if (free()) return true;
  if (cancelled_.load() || arbiter_.AnyWaits()) return false;
  if (Take(false)) return true;
  if (amounts_.size() > 1 && arbiter_.AnyWaits()) {
    base::MutexLock lock(arbiter_.mutex_);
    arbiter_.Dispatch();
  }
  return false;
}

bool ResourceArbiter::Claim::Acquire() {
  if (TryAcquire()) return true;
  if (cancelled_.load()) return false;
  base::MutexLock lock(arbiter_.mutex_);
  return arbiter_.Wait(*this);
}

void ResourceArbiter::Claim::Release(int64_t service_ns) {
  if (free()) return;
  Learn(service_ns);
  held_.store(false);
  GiveBack(amounts_.size());
  if (!arbiter_.AnyWaits()) return;
  base::MutexLock lock(arbiter_.mutex_);
  arbiter_.Charge(*this, service_ns);
  arbiter_.Dispatch();
}

bool ResourceArbiter::Claim::TryRenew(int64_t service_ns) {
  if (free()) return true;
  if (!arbiter_.AnyWaits() && !cancelled_.load()) {
    Learn(service_ns);
    return true;
  }
  Release(service_ns);
  return false;
}

bool ResourceArbiter::Claim::Renew(int64_t service_ns) {
  if (free()) return true;
  if (cancelled_.load()) {
    Release(service_ns);
    return false;
  }
  Learn(service_ns);
  if (!arbiter_.AnyWaits()) return true;
  base::MutexLock lock(arbiter_.mutex_);
  arbiter_.Charge(*this, service_ns);
  held_.store(false);
  GiveBack(amounts_.size());
  return arbiter_.Wait(*this);
}

void ResourceArbiter::Claim::Cancel() {
  base::MutexLock lock(arbiter_.mutex_);
  cancelled_.store(true);
  wake_.NotifyOne();
}

}  // namespace inferd::scheduling
